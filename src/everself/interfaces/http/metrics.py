"""Figures of the gateway in the text form that Prometheus reads: counts and sizes, never names of people or texts."""

from collections.abc import Iterator

from everself.interfaces.http.service import Service


def render_metrics(service: Service) -> str:
    return "".join(f"{line}\n" for line in _lines(service))


def _lines(service: Service) -> Iterator[str]:
    yield "# TYPE everself_requests_total counter"
    for (route, status), count in sorted(service.answered.items()):
        yield f'everself_requests_total{{route="{route}",status="{status}"}} {count}'
    figures = (
        ("everself_open_agents", len(service.pool)),
        ("everself_busy_workers", service.workers.busy),
        ("everself_lost_log_lines", service.log.lost),
    )
    for name, value in figures:
        yield f"# TYPE {name} gauge"
        yield f"{name} {value}"

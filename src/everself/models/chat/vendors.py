"""The vendors: a lazy table of wire formats and the client for each.

Builds clients and sends no request. Knows nothing of turns, retries or answers.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from everself.config import Secret
from everself.config.installation import install_command
from everself.errors import BadConfig, ModelFailed
from everself.frozen import Frozen
from everself.models.addresses import LOOPBACK, header_value

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

WireName = Literal["anthropic", "openai", "responses", "gemini", "ollama", "compatible"]

# self-hosted servers require some key, but not the user's
_NO_KEY = "none"


class ModelAccount(Frozen):
    """Provider endpoint and account. `settings` is the part of the config keys after `provider.`; the API key is read when a request is
    sent."""

    provider: str
    model: str
    wire: WireName
    url: str
    key: Secret | None = None
    settings: str = ""

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def local(self) -> bool:
        return self.host in LOOPBACK


class Vendor(Frozen):
    """One row of the table. `tail` is the end of a full address; `sections` are the config sections to search, the usual one last."""

    wire: WireName
    url: str
    tail: str
    sections: tuple[str, ...]
    needs_key: bool = True


VENDORS: Mapping[str, Vendor] = MappingProxyType(
    {
        "anthropic": Vendor("anthropic", "https://api.anthropic.com", "", ("anthropic",)),
        "openai": Vendor("openai", "https://api.openai.com", "/v1", ("openai",)),
        "openai-responses": Vendor("responses", "https://api.openai.com", "/v1", ("openai-responses", "openai")),
        "gemini": Vendor("gemini", "https://generativelanguage.googleapis.com", "", ("google", "gemini")),
        "google": Vendor("gemini", "https://generativelanguage.googleapis.com", "", ("google", "gemini")),
        "ollama": Vendor("ollama", "http://127.0.0.1:11434", "/v1", ("ollama",), needs_key=False),
    }
)


def compatible(provider: str) -> Vendor:
    """An OpenAI-compatible server with an address in the settings."""
    return Vendor("compatible", "", "/v1", (provider,), needs_key=False)


def settle_url(url: str, tail: str) -> str:
    """The address in the form of the vendor's client: a version is added to a bare host, or removed if the client adds its own."""
    url = url.rstrip("/")
    if tail:
        return f"{url}{tail}" if urlsplit(url).path in ("", "/") else url
    return url.removesuffix("/v1").removesuffix("/v1beta")


def load(account: ModelAccount) -> None:
    """Import the packages for an account. Raises ModelFailed if they are not installed."""
    try:
        import_module("pydantic_ai.direct")
        match account.wire:
            case "anthropic":
                import_module("pydantic_ai.models.anthropic")
            case "gemini":
                import_module("pydantic_ai.models.google")
            case _:
                import_module("pydantic_ai.models.openai")
    except ImportError:
        words = f"The package that talks to {account.provider} is not installed."
        raise ModelFailed(words, reason="missing", mend=install_command("models")) from None


def build(account: ModelAccount, client: "httpx2.AsyncClient") -> "Model[Any]":
    """The pydantic-ai model for an account. Raises ModelFailed if the key or the vendor's package is missing."""
    load(account)
    return _BUILDERS[account.wire](account, _key(account), client)


def _key(account: ModelAccount) -> str:
    mend = f"everself config set provider.{account.settings or account.provider}.apiKey KEY"
    if account.key is None:
        vendor = VENDORS.get(account.provider)
        if vendor is None or not vendor.needs_key:
            return _NO_KEY
        raise ModelFailed(f"No API key is set for {account.provider}.", reason="auth", mend=mend)
    try:
        return header_value(account.key, account.provider)
    except BadConfig as error:
        raise ModelFailed(error.detail, reason="auth", mend=error.mend) from None


def _anthropic(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(api_key=key, base_url=account.url, http_client=client)
    return AnthropicModel(account.model, provider=provider)


def _openai(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=account.url, api_key=key, http_client=client)
    # otherwise a truncated answer looks complete
    strict = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    return OpenAIChatModel(account.model, provider=provider, profile=strict)


def _responses(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=account.url, api_key=key, http_client=client)
    return OpenAIResponsesModel(account.model, provider=provider)


def _gemini(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    import logging
    import ssl

    from google.genai import Client
    from google.genai.types import HttpOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    # it warns about two keys in the environment, which are not used here
    logging.getLogger("google_genai._api_client").setLevel(logging.ERROR)
    # Google's package would load the root certificates twice (100 ms) for connections that are never made, because it gets our client
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    options = HttpOptions(
        base_url=account.url,
        httpx_async_client=client,
        client_args={"verify": unused},
        async_client_args={"verify": unused, "ssl": unused},
    )
    google = Client(vertexai=False, api_key=key, http_options=options)
    return GoogleModel(account.model, provider=GoogleProvider(client=google))


def _ollama(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.ollama import OllamaModel
    from pydantic_ai.providers.ollama import OllamaProvider

    provider = OllamaProvider(base_url=account.url, api_key=key, http_client=client)
    # Ollama's cloud accepts a schema but does not enforce it
    cloud = account.model.endswith("-cloud") or account.host.endswith("ollama.com")
    return OllamaModel(account.model, provider=provider, profile=_modest(schemas=not cloud))


def _compatible(account: ModelAccount, key: str, client: "httpx2.AsyncClient") -> "Model[Any]":
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider = OpenAICompatibleProvider(account.provider, base_url=account.url, api_key=key, http_client=client)
    return OpenAIChatModel(account.model, provider=provider, profile=_modest())


def _modest(*, schemas: bool = True) -> Any:
    """A profile for servers that accept one system message, `max_tokens` and no strict tools."""
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    return OpenAIModelProfile(
        openai_chat_streaming_requires_finish_reason=True,
        openai_chat_supports_multiple_system_messages=False,
        openai_chat_supports_max_completion_tokens=False,
        openai_supports_strict_tool_definition=False,
        supports_json_schema_output=schemas,
    )


_BUILDERS: Mapping[WireName, Callable[[ModelAccount, str, "httpx2.AsyncClient"], "Model[Any]"]] = MappingProxyType(
    {
        "anthropic": _anthropic,
        "openai": _openai,
        "responses": _responses,
        "gemini": _gemini,
        "ollama": _ollama,
        "compatible": _compatible,
    }
)

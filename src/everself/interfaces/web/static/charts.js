// Draws a figure from a table of the same page: the table is what a screen reader and a browser without scripts get.
/* global uPlot */

function columnsOf(table, names) {
  const heads = [...table.querySelectorAll("thead th")];
  const rows = [...table.querySelectorAll("tbody tr")].reverse();
  const at = (name) => heads.findIndex((head) => head.dataset.key === name);
  const cells = (index) => rows.map((row) => row.cells[index].textContent.trim());
  const days = cells(at("day")).map((day) => Date.parse(`${day}T00:00:00`) / 1000);
  return {
    labels: names.map((name) => heads[at(name)].textContent.trim()),
    data: [days, ...names.map((name) => cells(at(name)).map(Number))],
  };
}

// one accent; further lines are told apart by their dashes and their grey, not by hue alone
function looks(style) {
  const ink = style.getPropertyValue("--ink-2");
  return [
    { stroke: style.getPropertyValue("--accent"), width: 2, fill: style.getPropertyValue("--accent-soft") },
    { stroke: ink, width: 2, dash: [6, 4] },
    { stroke: ink, width: 1, dash: [2, 3] },
  ];
}

function draw(figure) {
  const table = document.getElementById(figure.dataset.chart);
  if (!table || typeof uPlot === "undefined") return;
  figure.querySelector(".uplot")?.remove();
  const names = figure.dataset.columns.split(" ");
  const { labels, data } = columnsOf(table, names);
  const style = getComputedStyle(document.documentElement);
  const line = style.getPropertyValue("--line");
  const ink = style.getPropertyValue("--ink-2");
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `12px ${getComputedStyle(document.body).fontFamily}` };
  const room = getComputedStyle(figure);
  const width = figure.clientWidth - parseFloat(room.paddingLeft) - parseFloat(room.paddingRight);
  const series = names.map((_, number) => ({ label: labels[number], points: { show: false }, ...looks(style)[number] }));
  const options = {
    width,
    height: 200,
    cursor: { y: false },
    legend: { live: false, markers: { width: 2, dash: (_, number) => ["solid", "dashed", "dotted"][number - 1] } },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, values: [[86400, "{YYYY}-{MM}-{DD}"]], space: 90 },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] },
    ],
    series: [{ label: table.querySelector('th[data-key="day"]').textContent.trim(), value: "{YYYY}-{MM}-{DD}" }, ...series],
  };
  new uPlot(options, data, figure);
}

function drawAll() {
  for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
}

drawAll();
let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 150);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

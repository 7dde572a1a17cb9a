// One key decides, as at the terminal: a, e, r, s, or the number of an answer. It is about the card that holds the focus, else the first.
const cards = () => [...document.querySelectorAll("[data-waiting]")];
const current = () => document.activeElement?.closest("[data-waiting]") ?? cards()[0];

function go(card) {
  if (!card) return;
  card.focus();
  card.scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) {
    if (event.key === "Escape") go(event.target.closest("[data-waiting]"));
    return;
  }
  const card = current();
  if (!card) return;
  if (event.key === "s") {
    const all = cards();
    event.preventDefault();
    go(all[(all.indexOf(card) + 1) % all.length]);
    return;
  }
  const found = card.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!found || !/^[aer1-9]$/.test(event.key)) return;
  event.preventDefault();
  if (event.key === "e") {
    const form = card.querySelector("[data-edit]");
    form.open = true;
    const field = form.querySelector("textarea");
    field.focus();
    field.select();
  } else {
    found.click();
  }
});

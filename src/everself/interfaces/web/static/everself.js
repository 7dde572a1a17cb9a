// What every page does beyond links and forms. Reading works without it.
import { tell, hide } from "./banner.js";

const words = (id) => document.getElementById(id)?.textContent ?? "";

// an answer that is an error says in its page what happened and what helps
function told(xhr) {
  const page = new DOMParser().parseFromString(xhr.responseText || "", "text/html");
  const problem = page.querySelector("[data-problem]");
  if (!problem) return words("failed-words");
  const parts = [...problem.querySelectorAll("h1, p:not(.faint):not(.actions)")];
  return parts.map((part) => part.textContent.trim()).filter(Boolean).join(" ");
}

document.addEventListener("htmx:responseError", (event) => tell(told(event.detail.xhr)));
for (const name of ["htmx:sendError", "htmx:timeout", "htmx:sendAbort"]) {
  document.addEventListener(name, () => tell(words("offline-words")));
}
document.addEventListener("htmx:afterSwap", hide);

// what had the focus is gone when older entries take its place: it goes on with the first of them
let goesOn = false;
document.addEventListener("htmx:beforeSwap", (event) => {
  const target = event.detail.target;
  goesOn = target.matches(".older") && target.contains(document.activeElement);
});
document.addEventListener("htmx:afterSwap", () => {
  if (goesOn) [...document.querySelectorAll(".by-day")].at(-1)?.querySelector("a")?.focus({ preventScroll: true });
  goesOn = false;
});

// a choice in a form that says so sends the form
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches?.("[data-sends]")) field.form.requestSubmit();
});

// an open menu closes with Escape and with a click elsewhere
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.switch[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.switch[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// in a narrow window the pages are a row that scrolls: the one that is shown is in sight
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// a key that leads to the search field, unless somebody is writing
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const field = document.querySelector("[data-search]");
  if (field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});

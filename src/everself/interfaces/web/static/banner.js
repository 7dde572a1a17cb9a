// The line above a page that says what went wrong. Its text is never markup.
export function tell(text) {
  const banner = document.getElementById("banner");
  if (!banner) return;
  banner.textContent = text;
  banner.hidden = false;
}

export function hide() {
  const banner = document.getElementById("banner");
  if (banner) banner.hidden = true;
}

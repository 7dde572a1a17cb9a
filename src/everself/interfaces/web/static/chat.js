// The chat as it is spoken: a reply arrives word by word, and a page that is loaded again goes on listening. Texts are never markup.
import { tell } from "./banner.js";

const talk = document.getElementById("talk");
const form = document.getElementById("say");
const field = document.getElementById("text");
const stop = document.getElementById("stop");
const send = document.getElementById("send");
const base = talk.dataset.base;
let source = null;

function made(tag, kind, text) {
  const found = document.createElement(tag);
  if (kind) found.className = kind;
  if (text) found.textContent = text;
  return found;
}

function bubble(role, who) {
  const article = made("article", `said-by ${role}`);
  article.append(made("p", "small faint who", who));
  talk.append(article);
  document.getElementById("nothing")?.remove();
  return article;
}

function near() {
  return window.innerHeight + window.scrollY > document.body.scrollHeight - 240;
}

async function posted(url, more) {
  const data = new URLSearchParams(new FormData(form));
  for (const [name, value] of Object.entries(more ?? {})) data.set(name, value);
  const answer = await fetch(url, { method: "POST", body: data, headers: { "X-Everself-Script": "1" } });
  if (answer.ok) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const problem = page.querySelector("[data-problem]");
  throw new Error(problem ? [...problem.querySelectorAll("h1, p:not(.faint):not(.actions)")].map((one) => one.textContent.trim()).join(" ") : "");
}

// where there was no answer at all, the browser's own words help nobody
function trouble(error) {
  const gone = error instanceof TypeError || !error.message;
  tell(gone ? document.getElementById("offline-words").textContent : error.message);
}

function busy(turn) {
  talk.dataset.turn = turn;
  stop.hidden = !turn;
  send.disabled = Boolean(turn);
  talk.setAttribute("aria-busy", turn ? "true" : "false");
}

class Reply {
  constructor() {
    this.article = bubble("assistant", talk.dataset.name);
    this.waiting = made("p", "thinking small faint", talk.dataset.wordsThinking);
    this.tools = made("ul", "activity small");
    this.words = made("div", "said words");
    this.article.append(this.waiting, this.tools, this.words);
    this.running = new Map();
  }

  hear(event) {
    const stay = near();
    switch (event.kind) {
      case "Text":
        this.waiting.hidden = true;
        this.words.append(event.text);
        break;
      case "ToolCalled": {
        const line = made("li", "", event.name);
        line.append(made("span", "spin"));
        this.running.set(event.id, line);
        this.tools.append(line);
        break;
      }
      case "ToolReturned": {
        const line = this.running.get(event.id);
        line?.classList.add(event.failed ? "failed" : "done");
        line?.querySelector(".spin")?.remove();
        break;
      }
      case "MemoryWritten":
        this.tools.append(made("li", "kept", `${talk.dataset.wordsRemembered} ${event.written.words ?? ""}`.trim()));
        break;
      case "Notice":
        this.article.append(made("p", `notice-line small ${event.level}`, event.mend ? `${event.text} ${talk.dataset.wordsHelps} ${event.mend}` : event.text));
        break;
      case "Failed":
        this.waiting.hidden = true;
        this.article.append(made("p", "trouble small", event.text));
        break;
      case "Done":
        this.done = event;
        break;
    }
    if (stay) window.scrollTo({ top: document.body.scrollHeight });
  }

  async end() {
    this.waiting.remove();
    if (!this.done) return;
    if (this.done.why === "cancelled") this.article.append(made("p", "badge warn", talk.dataset.wordsStopped));
    if (!this.done.message) return;
    const url = `${base}/message/${encodeURIComponent(this.done.message)}?session=${encodeURIComponent(talk.dataset.session)}`;
    const answer = await fetch(url);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const told = page.querySelector("article");
    if (!told) return;
    // what was told on the way stays above the receipt
    for (const notice of this.article.querySelectorAll(".notice-line")) told.querySelector(".words")?.after(notice);
    this.article.replaceWith(document.adoptNode(told));
  }
}

function listen(turn) {
  const reply = new Reply();
  busy(turn);
  source = new EventSource(`${base}/turns/${encodeURIComponent(turn)}`);
  source.onmessage = (message) => reply.hear(JSON.parse(message.data));
  const finish = async () => {
    source.close();
    busy("");
    await reply.end();
    field.focus();
  };
  source.addEventListener("over", finish);
  source.onerror = () => {
    // the browser tries again by itself and says how far it came; it gives up where the turn is not known any more
    if (source.readyState === EventSource.CLOSED) {
      reply.hear({ kind: "Failed", text: talk.dataset.wordsLost });
      finish();
    }
  };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = field.value;
  if (!said.trim() || talk.dataset.turn) return;
  send.disabled = true;
  try {
    const begun = await posted(form.action);
    const mine = bubble("user", talk.dataset.you);
    mine.id = `m-${begun.message}`;
    mine.append(made("div", "said words", said));
    field.value = "";
    // what was told about the step before is not about what is said now
    document.querySelector(".notice")?.remove();
    talk.dataset.session = begun.session;
    form.elements.session.value = begun.session;
    history.replaceState(null, "", `${base}?session=${encodeURIComponent(begun.session)}`);
    mine.scrollIntoView({ block: "nearest" });
    listen(begun.turn);
  } catch (error) {
    send.disabled = false;
    trouble(error);
  }
});

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

stop.addEventListener("click", async () => {
  if (!talk.dataset.turn) return;
  stop.disabled = true;
  try {
    await posted(`${base}/turns/${encodeURIComponent(talk.dataset.turn)}/stop`);
  } catch (error) {
    trouble(error);
  } finally {
    stop.disabled = false;
  }
});

// a receipt is looked up when somebody opens it
document.addEventListener("toggle", async (event) => {
  const found = event.target;
  if (!found.matches?.("details[data-receipt]") || !found.open || found.dataset.read) return;
  found.dataset.read = "1";
  const answer = await fetch(found.dataset.receipt);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const body = page.querySelector(".receipt-body");
  if (body) found.querySelector("[data-place]").replaceWith(document.adoptNode(body));
}, true);

if (talk.dataset.turn) listen(talk.dataset.turn);
else if (location.hash.startsWith("#m-")) document.getElementById(location.hash.slice(1))?.scrollIntoView();
else if (talk.lastElementChild) window.scrollTo({ top: document.body.scrollHeight });

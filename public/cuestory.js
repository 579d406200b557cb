// Repairs what a screen reader and a keyboard miss in Chainlit 2.12: names, landmarks, a heading, a live region.
(function () {
  "use strict";
  // Chainlit is dark unless told otherwise, and cannot be told to follow the visitor's own system.
  try {
    if (!localStorage.getItem("vite-ui-theme")) localStorage.setItem("vite-ui-theme", "system");
  } catch (error) { /* storage is blocked: then it stays as it is */ }

  const NAMES = {
    "new-chat-button": "New visit", "chat-submit": "Send", "stop-button": "Stop", "theme-toggle": "Light or dark",
    "readme-button": "About this guide", "upload-button": "Attach a file", "chat-settings-open-modal": "Settings",
  };

  function name(element, label) {
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    if (element.getAttribute("role") === "presentation") element.removeAttribute("role");
  }

  function icon(button) {
    if (button.querySelector(".lucide-copy")) return "Copy this text";
    if (button.querySelector(".lucide-arrow-down")) return "Go to the newest part";
    if (button.querySelector(".lucide-arrow-left, .lucide-x")) return "Close";
    return button.id.replace(/-/g, " ") || "Button";
  }

  function mend() {
    for (const [id, label] of Object.entries(NAMES)) {
      const element = document.getElementById(id);
      if (element) name(element, label);
    }
    for (const button of document.querySelectorAll("button:not([aria-label])")) {
      if (!button.textContent.trim()) name(button, icon(button));
    }
    for (const image of document.querySelectorAll("img:not([alt]), .message-avatar img, [class*=avatar] img")) image.alt = "";
    const root = document.getElementById("root");
    if (!root) return;
    if (!document.querySelector("main, [role=main]")) root.setAttribute("role", "main");
    if (!document.getElementById("cue-title")) {
      const title = document.createElement("h1");
      title.id = "cue-title";
      title.className = "cue-hidden";
      title.textContent = document.title;
      document.body.prepend(title);
    }
    const input = document.getElementById("chat-input");
    if (input && !input.getAttribute("aria-label")) input.setAttribute("aria-label", "Write a message");
    const step = document.querySelector("[data-step-type]");
    const log = step && step.parentElement;
    if (log && log.getAttribute("role") !== "log") {
      log.setAttribute("role", "log");
      log.setAttribute("aria-label", "Your tour");
      log.setAttribute("aria-live", "off"); // what is new is said in a region of its own, once and whole
    }
    for (const bar of document.querySelectorAll("[role=separator][aria-controls]")) bar.removeAttribute("aria-controls");
  }

  // What is new is announced once and whole, in a region of its own: a part arrives in pieces, and a page that goes on
  // shows many at once, of which the last is enough.
  const known = new WeakSet();
  let fresh = [];
  let quiet = 0;
  function hear() {
    for (const step of document.querySelectorAll("[data-step-type=assistant_message]")) {
      if (!known.has(step)) { known.add(step); fresh.push(step); }
    }
    if (!fresh.length) return;
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      const words = told(fresh[fresh.length - 1]);
      fresh = [];
      let region = document.getElementById("cue-live");
      if (!region) {
        region = document.createElement("div");
        region.id = "cue-live";
        region.className = "cue-hidden";
        region.setAttribute("role", "status");
        document.body.append(region);
      }
      region.textContent = "";
      setTimeout(() => { region.textContent = words; }, 50);
    }, 400);
  }

  // The words of a message: without its card, whose buttons are found by going on, and without the numbers of its notes.
  function told(step) {
    const copy = (step.querySelector(".message-content") || step).cloneNode(true);
    for (const card of copy.querySelectorAll(".cue-card, .inline-custom, button")) card.remove();
    const parts = [...copy.querySelectorAll("h2, h3, [role=article]")].filter((one) => !one.querySelector("h2, h3, [role=article]"));
    const words = (parts.length ? parts.map((one) => one.textContent) : [copy.textContent]).join(" ");
    return words.replace(/[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+/g, "").replace(/\s+/g, " ").trim();
  }

  let waiting = 0;
  new MutationObserver(() => {
    if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; mend(); hear(); });
  }).observe(document.documentElement, { childList: true, subtree: true });
  mend();
})();

"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const tools = one(".tools");
  const search = one("#search");
  const told = one("#told");
  const boxes = all(".facets input");
  const groups = [...new Set(boxes.map((box) => box.name))];
  const findings = all("article.finding").map((node) => ({
    node,
    text: "",
    of: Object.fromEntries(groups.map((g) => [g, (node.dataset[g] || "").split(" ")])),
  }));

  const chosen = () =>
    Object.fromEntries(
      groups.map((g) => [g, boxes.filter((b) => b.name === g && b.checked).map((b) => b.value)]),
    );
  const words = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const says = (finding) => {
    finding.text = finding.text || finding.node.textContent.toLowerCase();
    return finding.text;
  };

  function show() {
    const picked = chosen();
    const asked = words();
    const counts = new Map(boxes.map((box) => [box, 0]));
    let shown = 0;
    for (const finding of findings) {
      const found = asked.every((word) => says(finding).includes(word));
      const failed = groups.filter(
        (g) => picked[g].length && !picked[g].some((value) => finding.of[g].includes(value)),
      );
      finding.node.hidden = !found || failed.length > 0;
      shown += finding.node.hidden ? 0 : 1;
      if (!found || failed.length > 1) continue;
      for (const box of boxes) {
        const open = failed.length === 0 || failed[0] === box.name;
        if (open && finding.of[box.name].includes(box.value)) counts.set(box, counts.get(box) + 1);
      }
    }
    for (const [box, count] of counts) {
      const label = box.closest("label");
      label.querySelector(".count").textContent = `(${count})`;
      label.classList.toggle("none", count === 0 && !box.checked);
    }
    told.textContent = `${shown} of ${findings.length} findings shown`;
  }

  function state() {
    const kept = new URLSearchParams();
    if (search.value) kept.set("q", search.value);
    for (const [group, values] of Object.entries(chosen())) {
      if (values.length) kept.set(group, values.join(","));
    }
    const theme = document.documentElement.dataset.theme;
    if (theme) kept.set("theme", theme);
    return kept.toString();
  }

  function keep() {
    const hash = state();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }

  // A finding by its number in this report, or by its fingerprint, which later reports keep.
  const called = (name) =>
    findings.map((f) => f.node).find((node) => node.id === name || node.dataset.print === name);

  function open(id) {
    const node = called(id);
    if (!node) return false;
    if (node.hidden) {
      search.value = "";
      for (const box of boxes) box.checked = false;
      show();
    }
    node.scrollIntoView();
    return true;
  }

  function read() {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) {
      show();
      open(hash);
      return;
    }
    const kept = new URLSearchParams(hash);
    search.value = kept.get("q") || "";
    for (const box of boxes) box.checked = (kept.get(box.name) || "").split(",").includes(box.value);
    const theme = kept.get("theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
    show();
  }

  async function copy(button) {
    const source = document.getElementById(button.dataset.copy);
    const text = source.textContent;
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    const before = button.dataset.label || button.textContent;
    button.dataset.label = before;
    button.textContent = done ? "Copied" : "Select and copy by hand";
    setTimeout(() => (button.textContent = before), 1500);
  }

  function step(by) {
    const seen = findings.filter((f) => !f.node.hidden).map((f) => f.node);
    const at = seen.indexOf(document.activeElement.closest("article"));
    const next = seen[Math.min(Math.max(at + by, 0), seen.length - 1)];
    if (next) {
      next.focus();
      next.scrollIntoView();
    }
  }

  function keys(event) {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape" && event.target === search) search.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      search.focus();
    } else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  }

  function theme() {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset.theme || (dark ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    keep();
  }

  // What is jumped to must not stand under the bar that stays at the top.
  function clear() {
    const stays = getComputedStyle(tools).position === "sticky";
    document.documentElement.style.scrollPaddingTop = `${stays ? tools.offsetHeight + 12 : 16}px`;
  }

  for (const button of all("button[hidden]")) button.hidden = false;
  for (const button of all("button[data-copy]")) button.addEventListener("click", () => copy(button));
  one("#theme").addEventListener("click", theme);
  addEventListener("beforeprint", () => all("details").forEach((d) => (d.open = true)));
  if (!tools) return;
  tools.hidden = false;
  clear();
  new ResizeObserver(clear).observe(tools);
  const change = () => {
    show();
    keep();
  };
  search.addEventListener("input", change);
  for (const box of boxes) box.addEventListener("change", change);
  one("#clear").addEventListener("click", () => {
    search.value = "";
    for (const box of boxes) box.checked = false;
    change();
    search.focus();
  });
  addEventListener("hashchange", read);
  document.addEventListener("keydown", keys);
  for (const link of all("a[href^='#F']")) {
    link.addEventListener("click", (event) => {
      if (open(link.getAttribute("href").slice(1))) event.stopPropagation();
    });
  }
  read();
})();

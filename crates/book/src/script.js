"use strict";
const input = document.getElementById("search");
const found = document.getElementById("found");
const menu = document.getElementById("menu");
const contents = document.getElementById("contents");
const up = document.body.dataset.up;

menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", contents.classList.toggle("open"));
});

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = words.length === 0 ? [] : HEADINGS.filter(([heading, page]) => {
    const text = `${heading} ${page}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  found.replaceChildren(...hits.slice(0, 20).map(([heading, page, to]) => {
    const link = document.createElement("a");
    link.href = up + to;
    link.textContent = heading;
    if (page !== heading) {
      const small = document.createElement("small");
      small.textContent = page;
      link.append(small);
    }
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  found.hidden = hits.length === 0;
}

input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" || event.key === "ArrowDown") {
    const first = found.querySelector("a");
    if (first && event.key === "Enter") first.click();
    else if (first) first.focus();
    event.preventDefault();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    found.hidden = true;
    input.blur();
  } else if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && found.contains(document.activeElement)) {
    const item = document.activeElement.parentElement;
    const next = event.key === "ArrowDown" ? item.nextElementSibling : item.previousElementSibling;
    (next ? next.firstElementChild : input).focus();
    event.preventDefault();
  }
});

"use strict";
(() => {
  const all = [...document.querySelectorAll(".violation")];
  const filters = document.querySelector(".filters");
  if (!filters) return;
  filters.hidden = false;
  const [text, property, severity, known] = ["text", "property", "severity", "known"].map((n) => document.getElementById(n));
  const shown = document.getElementById("shown");
  const words = all.map((v) => v.textContent.toLowerCase());
  function apply() {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    all.forEach((v, i) => {
      const fits =
        (!property.value || v.dataset.property === property.value) &&
        (!severity.value || v.dataset.severity === severity.value) &&
        (!known || known.checked || !v.classList.contains("known")) &&
        wanted.every((w) => words[i].includes(w));
      v.hidden = !fits;
      if (fits) count += 1;
    });
    shown.textContent = count === all.length ? `${count} shown` : `${count} of ${all.length} shown`;
  }
  for (const control of [text, property, severity, known]) if (control) control.addEventListener("input", apply);
  for (const link of document.querySelectorAll("a[data-filter]")) {
    link.addEventListener("click", () => { property.value = link.dataset.filter; apply(); });
  }
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
      if (e.key === "Escape" && e.target === text) { text.value = ""; apply(); text.blur(); }
      return;
    }
    const visible = all.filter((v) => !v.hidden);
    const heads = visible.map((v) => v.querySelector("summary"));
    const at = heads.indexOf(document.activeElement);
    if (e.key === "/") { e.preventDefault(); text.focus(); }
    else if (e.key === "j" && heads.length) heads[Math.min(at + 1, heads.length - 1)].focus();
    else if (e.key === "k" && heads.length) heads[Math.max(at - 1, 0)].focus();
    else if (e.key === "o") visible.forEach((v) => { v.open = true; });
    else if (e.key === "c") visible.forEach((v) => { v.open = false; });
  });
  apply();
})();

//! `never R` and `only R`.

use watchword_automata::finite::{Letter, Regex, never_dfa_within, only_dfa_within};
use watchword_model::{Property, PropertyOrigin, StateKind};

use super::Lowering;
use super::context::Owner;
use super::letters::{Atoms, LetterInfo, MAX_STATES, alphabet};
use crate::diagnostic::{Code, Diagnostic};
use crate::ww::tree::{self, RegexKind};

impl Lowering<'_> {
    /// Lowers the atoms of a pattern, which also makes the property observe their events.
    pub(super) fn regex_atoms(
        &mut self,
        regex: &tree::Regex,
        owner: &mut Owner,
        atoms: &mut Atoms,
    ) -> Option<()> {
        match &regex.kind {
            RegexKind::Atom(atom) => self.atom(atom, owner, atoms).map(|_| ()),
            RegexKind::Sequence(parts) | RegexKind::Choice(parts) => {
                // Every part is looked at, so that all mistakes are reported.
                let results: Vec<Option<()>> =
                    parts.iter().map(|p| self.regex_atoms(p, owner, atoms)).collect();
                results.into_iter().collect::<Option<Vec<()>>>().map(|_| ())
            }
            RegexKind::Star(part) | RegexKind::Plus(part) | RegexKind::Optional(part) => {
                self.regex_atoms(part, owner, atoms)
            }
            RegexKind::Error => None,
        }
    }

    /// `never R`: every event that completes a match is reported.
    pub(super) fn never(
        &mut self,
        regex: &tree::Regex,
        text: String,
        atoms: &Atoms,
        owner: &Owner,
        lowered: &mut Property,
    ) {
        let Some(letters) = self.letters(atoms, owner, regex.span) else { return };
        let compiled = translate(regex, atoms, &letters);
        if compiled.is_nullable() {
            self.report(
                Diagnostic::warning(
                    Code::EmptyPattern,
                    regex.span,
                    "this pattern also matches no event at all",
                )
                .rule("only matches with at least one event are reported")
                .help("write `+` instead of `*`"),
            );
        }
        lowered.origin = PropertyOrigin::Never(text);
        match never_dfa_within(&compiled, alphabet(&letters), MAX_STATES) {
            Ok(dfa) => self.emit(
                &dfa,
                StateKind::Bad,
                "forbidden",
                &letters,
                atoms,
                owner,
                regex.span,
                lowered,
            ),
            Err(_) => self.too_large(regex.span),
        }
    }

    /// `only R`: the first event that leaves all words of R is reported.
    pub(super) fn only(
        &mut self,
        regex: &tree::Regex,
        text: String,
        atoms: &Atoms,
        owner: &Owner,
        lowered: &mut Property,
    ) {
        let Some(letters) = self.letters(atoms, owner, regex.span) else { return };
        let compiled = translate(regex, atoms, &letters);
        lowered.origin = PropertyOrigin::Only(text);
        match only_dfa_within(&compiled, alphabet(&letters), MAX_STATES) {
            Ok(dfa) => self.emit(
                &dfa,
                StateKind::Bad,
                "unexpected",
                &letters,
                atoms,
                owner,
                regex.span,
                lowered,
            ),
            Err(_) => self.too_large(regex.span),
        }
    }

    pub(super) fn too_large(&mut self, span: watchword_model::Span) {
        self.report(
            Diagnostic::error(Code::AutomatonTooLarge, span, "this needs too many states")
                .rule(format!("patterns and formulas compile to at most {MAX_STATES} states"))
                .help("split it into several properties, or write it with states"),
        );
    }
}

fn translate(regex: &tree::Regex, atoms: &Atoms, letters: &[LetterInfo]) -> Regex {
    match &regex.kind {
        RegexKind::Atom(atom) => match atoms.at(atom.label.span) {
            Some(id) => Regex::set(
                letters
                    .iter()
                    .enumerate()
                    .filter(|(_, l)| l.atoms.contains(&id))
                    .map(|(i, _)| Letter(i as u32)),
            ),
            None => Regex::Empty,
        },
        RegexKind::Sequence(parts) => {
            Regex::Concat(parts.iter().map(|p| translate(p, atoms, letters)).collect())
        }
        RegexKind::Choice(parts) => {
            Regex::Union(parts.iter().map(|p| translate(p, atoms, letters)).collect())
        }
        RegexKind::Star(part) => translate(part, atoms, letters).star(),
        RegexKind::Plus(part) => translate(part, atoms, letters).plus(),
        RegexKind::Optional(part) => translate(part, atoms, letters).optional(),
        RegexKind::Error => Regex::Empty,
    }
}

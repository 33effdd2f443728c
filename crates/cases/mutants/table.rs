//! Deliberate mistakes of the reference evaluator: for each, where it stands and what stands there
//! instead. A test proves that some case notices each of them.
//!
//! A mistake is a piece of text that occurs exactly once in a file of the reference, and what to put
//! in its place: an expression for an expression, or a text in which `$m` asks whether the mistake is
//! to be made and `$old` stands for what was there.

/// A mistake.
pub struct Mutant {
    /// A name.
    pub name: &'static str,
    /// The file in `crates/monitor/src/reference`.
    pub file: &'static str,
    /// What stands there.
    pub old: &'static str,
    /// What is put in its place.
    pub new: &'static str,
}

const fn mutant(
    name: &'static str,
    file: &'static str,
    old: &'static str,
    new: &'static str,
) -> Mutant {
    Mutant { name, file, old, new }
}

/// All mistakes.
pub const MUTANTS: &[Mutant] = &[
    // Labels and branches.
    mutant("arity-ignored", "label.rs", "!label.arity.admits(event.args.len())", "false"),
    mutant("event-ignored", "label.rs", "label.event.is_some_and(|e| e != event.kind)", "false"),
    mutant(
        "unbound-equals-null",
        "label.rs",
        "scope.is_bound(*place) && same_at(scope, contexts, *place, &scope.read(*place), arg)",
        "same_at(scope, contexts, *place, &scope.read(*place), arg)",
    ),
    mutant(
        "unbound-differs-from-nothing",
        "label.rs",
        "!scope.is_bound(*place)\n                    || !same_at(scope, contexts, *place, &scope.read(*place), arg)",
        "scope.is_bound(*place)\n                    && !same_at(scope, contexts, *place, &scope.read(*place), arg)",
    ),
    mutant("constants-match-everything", "label.rs", "!value.same(arg)", "true"),
    mutant("guards-see-new-registers", "label.rs", "matches!(place, Place::Local(_))", "true"),
    mutant(
        "no-rebind",
        "label.rs",
        r#"for (place, value) in binds() {
        bound.write(place, value);
    }"#,
        r#"for (place, value) in binds() {
        if !($m && bound.is_bound(place)) {
            bound.write(place, value);
        }
    }"#,
    ),
    mutant(
        "not-relevant-is-false",
        "label.rs",
        "return Offer::NotRelevant",
        "return Offer::GuardFalse(bound)",
    ),
    mutant("not-relevant-is-true", "label.rs", "return Offer::NotRelevant", "{}"),
    mutant(
        "entry-before-update",
        "label.rs",
        "after.run(&[&branch.update, entry])?",
        "after.run(&[entry, &branch.update])?",
    ),
    mutant(
        "a-failing-update-stays-half-done",
        "label.rs",
        "after.run(&[&branch.update, entry])?",
        "{ let _ = after.run(&[&branch.update, entry]); }",
    ),
    mutant(
        "the-states-message-wins",
        "label.rs",
        "branch.and_then(|b| b.message.as_ref()).or(state.message.as_ref())",
        "state.message.as_ref().or(branch.and_then(|b| b.message.as_ref()))",
    ),
    mutant("messages-are-not-joined", "label.rs", "parts.join(\": \")", "parts.concat()"),
    mutant(
        "key-functions-ignored",
        "label.rs",
        "eval_args(model, expr, vec![value.clone()])",
        "Ok(value.clone())",
    ),
    // Instances.
    mutant(
        "null-creates",
        "group.rs",
        "matches!(value, Value::Null) || matches!(key, Value::Null) || key.key().is_none()",
        "key.key().is_none()",
    ),
    mutant(
        "nan-creates",
        "group.rs",
        "matches!(value, Value::Null) || matches!(key, Value::Null) || key.key().is_none()",
        "matches!(value, Value::Null) || matches!(key, Value::Null)",
    ),
    mutant(
        "the-start-is-not-entered",
        "group.rs",
        "scope.run(&[&property.states[property.start.index()].entry]).is_err()",
        "scope.run(&[]).is_err()",
    ),
    mutant(
        "copies-forget-deadlines",
        "group.rs",
        "automaton.deadline.map(|t| t.copy(world))",
        "None",
    ),
    mutant(
        "copied-timers-keep-their-place",
        "group.rs",
        "automaton.deadline.map(|t| t.copy(world))",
        "automaton.deadline",
    ),
    mutant(
        "staying-restarts-the-deadline",
        "group.rs",
        "Target::Stay => false,",
        r#"Target::Stay if $m => { self.start_deadline(model, world, id, automaton); false }
            $old"#,
    ),
    mutant(
        "drop-ignored",
        "group.rs",
        "automaton.ended = true;",
        r#"if $m { return false; }
                $old"#,
    ),
    mutant(
        "one-ended-automaton-ends-all",
        "group.rs",
        "!self.instances[at].automata.iter().all(|a| a.ended)",
        "!self.instances[at].automata.iter().any(|a| a.ended)",
    ),
    mutant(
        "the-unbound-instance-can-be-dropped",
        "group.rs",
        "unbound && *rule != watchword_model::Creation::Larva",
        "false",
    ),
    mutant("alarms-stay-outside", "group.rs", "self.is_inside(i.id, id)", "i.id == id"),
    mutant(
        "slices-run-before-they-begin",
        "group.rs",
        "if begun {\n            self.begin(model, world, id);",
        "if begun || $m {\n            self.begin(model, world, id);",
    ),
    mutant(
        "inner-contexts-do-not-write-outwards",
        "group.rs",
        "let owner = model.variables[var.index()].context;",
        r#"$old
            if $m && self.position(id).is_some_and(|at| self.instances[at].context != owner) { continue; }"#,
    ),
    mutant(
        "sends-are-a-stack",
        "group.rs",
        "world.queue.push_back((*event, args.clone()))",
        "world.queue.push_front((*event, args.clone()))",
    ),
    mutant(
        "end-of-life-is-silent",
        "group.rs",
        "self.report_pending(model, world, id, Cause::EndOfLife)",
        "()",
    ),
    mutant("lives-do-not-end", "group.rs", "self.instances.retain(|i| i.id != id)", "()"),
    mutant(
        "what-has-ended-is-pending",
        "group.rs",
        "ended || definition.states[state.index()].kind != StateKind::Pending",
        "definition.states[state.index()].kind != StateKind::Pending",
    ),
    mutant(
        "ended-automata-step",
        "group.rs",
        "current.ended || !observes(model, property, letter)",
        "!observes(model, property, letter)",
    ),
    mutant("stopped-clocks-run-on", "group.rs", "self.instances[at].alarms.remove(clock)", "None"),
    mutant(
        "else-ignored",
        "group.rs",
        r#"Some(branch) => (bound, branch),
                    None => continue,"#,
        r#"Some(branch) if !$m => (bound, branch),
                    _ => continue,"#,
    ),
    mutant(
        "a-failing-branch-is-passed-over",
        "group.rs",
        r#"let scope = label::take(&bound, property, branch)?;"#,
        r#"if $m && label::take(&bound, property, branch).is_err() {
                continue;
            }
            $old"#,
    ),
    // Slices.
    mutant(
        "the-minimal-sub-binding",
        "chen_rosu.rs",
        "bound(&instance.binding) > bound(&s.binding)",
        "bound(&instance.binding) < bound(&s.binding)",
    ),
    mutant(
        "the-latest-of-equal-sub-bindings",
        "chen_rosu.rs",
        "bound(&instance.binding) > bound(&s.binding)",
        "bound(&instance.binding) >= bound(&s.binding)",
    ),
    mutant("no-joins", "chen_rosu.rs", "consider(joined.collect())", "drop(joined)"),
    mutant(
        "creation-events-ignored",
        "chen_rosu.rs",
        "group.instances[at].begun && group.step",
        "($m || group.instances[at].begun) && group.step",
    ),
    mutant(
        "every-event-begins",
        "chen_rosu.rs",
        "creation.contains(&letter.event.kind)",
        "!creation.is_empty()",
    ),
    mutant(
        "copies-have-not-begun",
        "chen_rosu.rs",
        "group.copy(world, source.clone(), target)",
        "group.copy(world, group::Instance { begun: creation.is_empty(), ..source.clone() }, target)",
    ),
    mutant(
        "lives-end-first",
        "chen_rosu.rs",
        "for id in targets {",
        r#"if $m { group.end_lives(model, world, letter); }
    $old"#,
    ),
    mutant(
        "new-targets-first",
        "chen_rosu.rs",
        "for id in targets {",
        r#"if $m { targets.reverse(); }
    $old"#,
    ),
    // Instances that ancestors create.
    mutant("guards-see-the-ancestors-slice", "verde.rs", "scope.params = theta.clone()", "()"),
    mutant("addresses-are-zero", "eval.rs", "Value::Int(*p as i64)", "Value::Int(0)"),
    mutant("ancestors-move", "verde.rs", "group::below(&theta_keys, &own)", "true"),
    mutant(
        "beside-a-more-specific-one",
        "verde.rs",
        "group::below(&theta_keys, &group::keys(model, context, &i.binding))",
        "{ let k = group::keys(model, context, &i.binding); group::below(&theta_keys, &k) && group::below(&k, &theta_keys) }",
    ),
    mutant(
        "else-does-not-create",
        "verde.rs",
        "Some(branch) => Some((bound, branch)),",
        r#"Some(branch) if in_place || !$m => Some((bound, branch)),
                    Some(_) => continue,"#,
    ),
    mutant(
        "keyed-by-the-join",
        "verde.rs",
        "group.copy(world, original, theta)",
        "{ let joined = original.binding.iter().zip(&theta).map(|(a, b)| a.clone().or(b.clone())).collect(); group.copy(world, original, joined) }",
    ),
    mutant(
        "what-exists-ends-the-search",
        "verde.rs",
        "if taken {",
        r#"if taken && $m {
                    break;
                }
                if taken {"#,
    ),
    // Contexts.
    mutant(
        "inner-before-outer",
        "larva.rs",
        "concerned.sort()",
        "concerned.sort_by(|a, b| b.0.cmp(&a.0).then(a.cmp(b)))",
    ),
    mutant(
        "younger-instances-first",
        "larva.rs",
        "concerned.sort()",
        "concerned.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)))",
    ),
    mutant(
        "later-properties-first",
        "larva.rs",
        "concerned.sort()",
        "concerned.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.cmp(&a.2)))",
    ),
    mutant(
        "outer-events-stay-outside",
        "larva.rs",
        "if group::below(&keys, &group::keys(model, context, &instance.binding)) {",
        "if !($m && theta.iter().any(Option::is_none)) && group::below(&keys, &group::keys(model, context, &instance.binding)) {",
    ),
    // Registers.
    mutant(
        "skip-two",
        "registers.rs",
        r#"// Skip exactly one letter.
            self.add(Configuration {
                position: current.position + 1,"#,
        r#"// Skip exactly one letter.
            self.add(Configuration {
                position: (current.position + 1 + usize::from($m)).min(self.word.len()),"#,
    ),
    mutant("skip-none", "registers.rs", "!self.configurations[at].fired", "false"),
    mutant("keep-always", "registers.rs", "!self.configurations[at].fired", "true"),
    mutant("keep-never", "registers.rs", "transition.keep", "false"),
    mutant(
        "keep-after-the-row",
        "registers.rs",
        r#"world.moves.truncate(told);
                    }
                    self.keep(&current, transition);"#,
        r#"world.moves.truncate(told);
                    }
                    let from = if $m { position - 1 } else { current.position };
                    self.keep(&Configuration { position: from, ..current.clone() }, transition);"#,
    ),
    mutant("no-flush", "registers.rs", "self.explore(model, world, true)", "()"),
    mutant(
        "only-the-first-fires",
        "registers.rs",
        "self.configurations[at].decided.contains(&i.index())",
        "self.configurations[at].decided.contains(&i.index()) || self.configurations[at].fired",
    ),
    mutant("duplicates-stay", "registers.rs", "self.explored.insert(node(&configuration))", "true"),
    mutant("entries-report-twice", "registers.rs", "if is_new {", "if is_new || $m {"),
    mutant(
        "entries-report-once-ever",
        "registers.rs",
        "(state, keys, position, time, message.clone())",
        "(state, keys, 0, None, message.clone())",
    ),
    mutant(
        "deadlines-do-not-distinguish",
        "registers.rs",
        "configuration.deadline.map(|t| Timer { at: t.at, sequence: 0, round: 0 })",
        "None",
    ),
    mutant(
        "reported-when-noticed",
        "registers.rs",
        "self.word[position - 1].clone()",
        "self.word[self.word.len() - 1].clone()",
    ),
    mutant(
        "unobserved-seen",
        "registers.rs",
        "group::observes(model, property, letter)",
        "letter.event.kind != watchword_model::EventId::END",
    ),
    // Time, channels, the end.
    mutant("deadline-after-the-event", "mod.rs", "t.at <= time", "t.at < time"),
    mutant("deadlines-happen-late", "mod.rs", "timer.at.max(self.world.now)", "time"),
    mutant("timers-begin-at-zero", "mod.rs", "group.begin_time(time)", "()"),
    mutant(
        "end-is-not-an-event",
        "mod.rs",
        r#"Cause::End);
        self.dispatch(&letter);"#,
        r#"Cause::End);
        if !$m { self.dispatch(&letter); }"#,
    ),
    mutant(
        "a-lower-limit",
        "mod.rs",
        "deliveries == MAX_DELIVERIES",
        "deliveries == MAX_DELIVERIES - 1",
    ),
    mutant(
        "a-higher-limit",
        "mod.rs",
        "deliveries == MAX_DELIVERIES",
        "deliveries == MAX_DELIVERIES + 1",
    ),
    // Expressions.
    mutant(
        "a-smaller-guard-budget",
        "eval.rs",
        "self.expr(expr, &mut Run { budget: BUDGET, depth: 0 })",
        "self.expr(expr, &mut Run { budget: 90_000, depth: 0 })",
    ),
    mutant(
        "a-smaller-budget",
        "eval.rs",
        "let mut run = Run { budget: BUDGET, depth: 0 };",
        r#"$old
        if $m { run.budget -= 1; }"#,
    ),
    mutant(
        "a-larger-budget",
        "eval.rs",
        "let mut run = Run { budget: BUDGET, depth: 0 };",
        r#"$old
        if $m { run.budget += 1; }"#,
    ),
    mutant("fewer-nested-calls", "eval.rs", "run.depth == MAX_DEPTH", "run.depth == MAX_DEPTH - 1"),
    mutant("more-nested-calls", "eval.rs", "run.depth == MAX_DEPTH", "run.depth == MAX_DEPTH + 1"),
    mutant(
        "smaller-values",
        "eval.rs",
        "weight(&value, limit) > limit",
        "weight(&value, limit) >= limit",
    ),
    mutant(
        "larger-values",
        "eval.rs",
        "weight(&value, limit) > limit",
        "weight(&value, limit) > limit + 1",
    ),
    mutant(
        "return-ends-the-branch",
        "eval.rs",
        r#"self.block(block, &mut run)?;
        }"#,
        r#"let flow = self.block(block, &mut run)?;
            if $m && matches!(flow, Flow::Return(_)) { return Ok(()); }
        }"#,
    ),
    mutant("types-ignored", "eval.rs", "value.coerce(ty).ok_or(NotRelevant)?", "value"),
    mutant(
        "both-sides-of-and",
        "eval.rs",
        "Value::Bool(self.truth(left, run)? && self.truth(right, run)?)",
        "{ let (l, r) = (self.truth(left, run)?, self.truth(right, run)?); Value::Bool(l && r) }",
    ),
    mutant(
        "both-sides-of-or",
        "eval.rs",
        "Value::Bool(self.truth(left, run)? || self.truth(right, run)?)",
        "{ let (l, r) = (self.truth(left, run)?, self.truth(right, run)?); Value::Bool(l || r) }",
    ),
    mutant(
        "nan-equals-itself",
        "eval.rs",
        "Value::Bool(left.same(&right))",
        "Value::Bool(left.same(&right) || (left.key().is_none() && right.key().is_none()))",
    ),
    mutant(
        "kinds-are-ordered",
        "eval.rs",
        "if !comparable {",
        r#"if !comparable && $m {
        return Ok(Value::Bool(false));
    }
    if !comparable {"#,
    ),
    mutant("sums-wrap", "eval.rs", "a.checked_add(b)", "Some(a.wrapping_add(b))"),
    mutant("differences-wrap", "eval.rs", "a.checked_sub(b)", "Some(a.wrapping_sub(b))"),
    mutant("products-wrap", "eval.rs", "a.checked_mul(b)", "Some(a.wrapping_mul(b))"),
    mutant(
        "quotients-round-down",
        "eval.rs",
        "BinaryOp::Div => a.checked_div(b),",
        r#"BinaryOp::Div if $m => a.checked_div(b).map(|_| (a as f64 / b as f64).floor() as i64),
        $old"#,
    ),
    mutant(
        "remainders-have-the-divisors-sign",
        "eval.rs",
        "BinaryOp::Rem if b != 0 => Some(a.wrapping_rem(b)),",
        r#"BinaryOp::Rem if b != 0 && $m => Some(a.wrapping_rem_euclid(b)),
        $old"#,
    ),
    mutant("floats-divide-by-zero", "eval.rs", "divides && b == 0.0", "false"),
    mutant(
        "shifts-wrap",
        "eval.rs",
        "u32::try_from(b).ok().filter(|b| *b < 64).ok_or(NotRelevant)",
        "Ok((b & 63) as u32)",
    ),
    mutant("lengths-in-bytes", "eval.rs", "text.chars().count()", "text.len()"),
    mutant(
        "integers-round",
        "eval.rs",
        "Value::Float(f.trunc()).key()",
        "Value::Float(f.round()).key()",
    ),
    mutant("unknown-values-show-as-nothing", "eval.rs", "text.push('?')", "()"),
    // Windows.
    mutant(
        "window-bounds-are-open",
        "window.rs",
        "i128::from(now) - i128::from(at) <= i128::from(window.within)",
        "i128::from(now) - i128::from(at) < i128::from(window.within)",
    ),
    mutant(
        "windows-count-values-again",
        "window.rs",
        "keys[*i].is_none() || !keys[..*i].contains(&keys[*i])",
        "true",
    ),
    mutant(
        "windows-take-what-is-no-number",
        "window.rs",
        "window.aggregate.wants_numbers() && !ExactSum::default().add(&value)",
        "false",
    ),
    mutant("sums-of-windows-are-means", "window.rs", "window.aggregate == Aggregate::Sum", "false"),
    mutant(
        "least-is-greatest",
        "window.rs",
        "order.is_some_and(std::cmp::Ordering::is_lt)",
        "order.is_some_and(std::cmp::Ordering::is_gt)",
    ),
    mutant(
        "windows-begin-at-zero",
        "group.rs",
        "*at = first;",
        r#"if !$m {
                    $old
                }"#,
    ),
    mutant(
        "events-enter-no-windows",
        "group.rs",
        "window::enter(&scope, &contexts, property, windows, &letter.event, world)",
        "Ok(())",
    ),
];

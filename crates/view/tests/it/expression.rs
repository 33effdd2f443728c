//! Labels and updates as text.

use watchword_spec::{Lang, SourceFile, load_with};
use watchword_view::expression::Namer;

#[test]
fn clocks_and_times_are_shown_as_they_are_written() {
    let text = "event e(u)
property P(u) {
  clock t
  var asked: duration = 0 s
  start state S {
    on e(u) if t > 1500 ms and now - asked <= 2 min { stop t } -> B
    on e(u) { asked = now reset t }
  }
  bad state B
}
";
    let loaded =
        load_with(&[(SourceFile::new("p.ww", text), Lang::Ww)], &|_, _| Err("none".into()));
    let model = loaded.model.expect("it loads");
    let property = &model.properties[0];
    let [first, second] = &property.transitions[..] else { panic!("two transitions") };
    let names = Namer::new(&model, property);
    assert_eq!(names.label(&first.labels[0]), "e(u) if (t > 1.5 s) and ((now - asked) <= 2 min)");
    assert_eq!(names.statements(&first.then.update), "stop t");
    assert_eq!(names.statements(&second.then.update), "asked = now; reset t");
}

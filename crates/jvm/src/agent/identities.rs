//! Identities of objects, and what the program may see of how they hold them.

use watchword_model::Value;
use watchword_weave::{dotted_type, runtime};

use super::Agent;
use crate::deaths::Deaths;
use crate::equals::Equals;
use crate::ids::{ClassNumbers, is_id};
use crate::vm::{Argument, Class, Jni, Object};

/// What is known of the objects that events talk about.
#[derive(Default)]
pub struct Identities {
    /// Numbers of classes whose objects have identities.
    pub class_numbers: ClassNumbers,
    /// Objects that are compared by `equals`.
    pub equals: Equals,
    /// Objects that died.
    pub deaths: Deaths,
}

impl Agent {
    /// The identity of an object that cannot hold one itself.
    pub fn side_id(&self, jni: Jni, object: Object) -> i64 {
        let known = self.tools.tag(object).unwrap_or(0);
        if is_id(known as u64) {
            return known;
        }
        let Some(runtime) = self.runtime.get() else { return 0 };
        let class = jni.class_of(object);
        let bits = self.class_bits(class);
        jni.delete_local(class);
        // Two threads may see the object for the first time at once.
        let Ok(_tagging) = self.identities.deaths.tagging.lock() else { return 0 };
        let known = self.tools.tag(object).unwrap_or(0);
        if is_id(known as u64) {
            return known;
        }
        let id = bits as i64 | jni.call_static_long(runtime.class, runtime.take, &[]);
        let _ = self.tools.set_tag(object, id);
        id
    }

    /// The bits of the identities of a class whose objects are tagged.
    fn class_bits(&self, class: Class) -> u64 {
        let signature = self.tools.class_signature(class).unwrap_or_default();
        self.identities.class_numbers.side(&dotted_type(&signature))
    }

    /// The identity of any object that is not null, found from here.
    pub fn id_of(&self, jni: Jni, object: Object) -> i64 {
        let Some(runtime) = self.runtime.get() else { return 0 };
        jni.call_static_long(runtime.class, runtime.id, &[Argument { object }])
    }

    /// Members or interfaces without those that were injected; the array itself if there are none.
    pub fn hide(&self, jni: Jni, members: Object) -> Object {
        if members.is_null() {
            return members;
        }
        jni.framed_object(64, || {
            let signature = self.tools.class_signature(jni.class_of(members)).unwrap_or_default();
            let element = signature.trim_start_matches("[L").trim_end_matches(';').to_string();
            let class = jni.find_class(&element);
            let all = jni.objects_of(members);
            let is_ours = |member: Object| match &*element {
                "java/lang/Class" => {
                    let signature = self.tools.class_signature(member).unwrap_or_default();
                    signature.trim_start_matches('L').trim_end_matches(';') == runtime::TRACKED
                }
                _ => {
                    let field = jni.field(class, "name", "Ljava/lang/String;");
                    let name = match field.is_null() {
                        true => std::ptr::null_mut(),
                        false => jni.object_field(member, field),
                    };
                    let name = if name.is_null() { String::new() } else { jni.text_of(name) };
                    let synthetic = || {
                        let field = jni.field(class, "modifiers", "I");
                        !field.is_null()
                            && matches!(jni.primitive_field(member, field, b'I'),
                                Value::Int(bits) if bits & 0x1000 != 0)
                    };
                    // The number of a serialised class is pinned by a field that it did not have.
                    name.starts_with("$watchword$") || (name == "serialVersionUID" && synthetic())
                }
            };
            let visible: Vec<Object> = all.iter().copied().filter(|m| !is_ours(*m)).collect();
            if visible.len() == all.len() || class.is_null() {
                return members;
            }
            let array = jni.new_array(class, &visible);
            if array.is_null() { members } else { array }
        })
    }

    /// Numbers a class whose objects hold identities, and has the heap walk look at them.
    pub fn number_class(&self, class: Class) -> i64 {
        let signature = self.tools.class_signature(class).unwrap_or_default();
        if self.tools.tag(class).unwrap_or(0) == 0 {
            let _ = self.tools.set_tag(class, 1);
        }
        self.identities.class_numbers.add(&dotted_type(&signature)) as i64
    }
}

//! Method references: how a call in their place would name its method.

use crate::descriptor::MethodDescriptor;
use crate::jstr::JStr;

/// Kinds of method handles without a receiver: static methods and constructors.
const STATIC: u8 = 6;
const CONSTRUCTOR: u8 = 8;

/// The class by which a call in place of a method reference names its method.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamedClass {
    /// The class, by its internal name.
    pub class: String,
    /// Another one that may be the one.
    pub also: Option<String>,
}

impl NamedClass {
    /// Of a handle of some kind to a method of `class`, where an object of descriptor `made` is made
    /// whose method is, without generics, `instantiated`.
    ///
    /// Compilers name the class that declares the method. A call names the type of the object it is
    /// on, unless the method is everybody's. That type is known if the object is captured; if not, what
    /// was written is somewhere between the type of the first parameter and the class that declares
    /// the method.
    pub fn of(kind: u8, class: JStr<'_>, made: JStr<'_>, instantiated: JStr<'_>) -> NamedClass {
        let declaring = class.to_str().into_owned();
        let on_object = !matches!(kind, STATIC | CONSTRUCTOR) && class != "java/lang/Object";
        let first = |descriptor| {
            let first = MethodDescriptor::parse(descriptor).ok()?.parameters().next()?;
            let text = first.descriptor().to_str().into_owned();
            Some(text.strip_prefix('L')?.strip_suffix(';')?.to_owned())
        };
        let captures = MethodDescriptor::parse(made).is_ok_and(|m| m.parameters().next().is_some());
        let receiver = first(if captures { made } else { instantiated });
        match receiver.filter(|receiver| on_object && *receiver != declaring) {
            Some(class) => NamedClass { class, also: (!captures).then_some(declaring) },
            None => NamedClass { class: declaring, also: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_named_like_calls() {
        let named = |kind, class: &str, made: &str, instantiated: &str| {
            let [class, made, instantiated] =
                [class, made, instantiated].map(|text| JStr::new(text.as_bytes()));
            let NamedClass { class, also } = NamedClass::of(kind, class, made, instantiated);
            (class, also)
        };
        let one = |class: &str| (class.to_owned(), None);
        let captured = "(LFoo;)Ljava/lang/Runnable;";
        let nothing = "()Ljava/util/function/Consumer;";
        assert_eq!(named(5, "Base", captured, "()V"), one("Foo"));
        assert_eq!(named(5, "Base", nothing, "(LFoo;)V"), ("Foo".into(), Some("Base".into())));
        assert_eq!(named(5, "Foo", nothing, "(LFoo;)V"), one("Foo"));
        assert_eq!(named(5, "java/lang/Object", captured, "()V"), one("java/lang/Object"));
        assert_eq!(named(6, "Base", nothing, "(LFoo;)V"), one("Base"));
        assert_eq!(named(8, "Base", nothing, "(LFoo;)V"), one("Base"));
        assert_eq!(named(5, "Base", nothing, "([LFoo;)V"), one("Base"));
    }
}

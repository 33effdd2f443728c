//! Newtyped indexes: every table of the model is a `Vec`, every reference into one is one of these.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this id points into.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the element at `index`. Tables of the model stay far below 2^32 elements.
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("a table of the model fits in 32 bits"))
            }
        }
    )*};
}

ids! {
    /// An event declaration, in [`Model::events`](crate::Model::events).
    EventId,
    /// A context, in [`Model::contexts`](crate::Model::contexts).
    ContextId,
    /// A property, in [`Model::properties`](crate::Model::properties).
    PropertyId,
    /// A state, in [`Property::states`](crate::Property::states).
    StateId,
    /// A transition, in [`Property::transitions`](crate::Property::transitions).
    TransitionId,
    /// A parameter of a context *chain*: numbered from the outermost context inwards.
    ParamId,
    /// A shared variable, in [`Model::variables`](crate::Model::variables).
    VarId,
    /// A register of a configuration, in [`Property::registers`](crate::Property::registers).
    RegisterId,
    /// A name that lives for one transition or one function call.
    LocalId,
    /// A clock, in [`Model::clocks`](crate::Model::clocks).
    ClockId,
    /// A window, in [`Property::windows`](crate::Property::windows).
    WindowId,
    /// A function, in [`Model::functions`](crate::Model::functions).
    FunctionId,
    /// A source file, in the loader's list of files.
    FileId,
}

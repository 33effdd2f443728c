//! Mistakes the analyses can be told to make, to test their tests: one for every rule.
//!
//! Without the feature `mutants` there are none, and asking costs nothing.

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// An event that may concern an object is taken to concern it.
    MayIsMust,
    /// That a variable may be null is forgotten.
    NullForgotten,
    /// The second object of an origin is taken for the first.
    NoRecency,
    /// Objects that live on need not find the monitors alike.
    LivesOnUnchecked,
    /// Silenced events may be reports.
    SilencedReports,
    /// What callees do to what they are lent is ignored.
    NoEmissions,
    /// New objects have no past.
    NoHistory,
    /// Nobody else acts on what is outside.
    NobodyElse,
    /// Exceptions are not caught.
    NoHandlers,
    /// Exceptions do not leave the method.
    NeverThrownOut,
    /// Parameters are null.
    NoParameters,
    /// Fields hold nothing.
    NoLoads,
    /// What is stored stays inside.
    NoStores,
    /// What is passed on stays inside.
    NothingKept,
    /// What is returned stays inside.
    NothingReturned,
    /// A view stays inside when its map leaves.
    ViewsStay,
    /// What is reported at the end of a run is ignored.
    EndIgnored,
    /// The JDK gives nothing back (points-to).
    NothingBack,
    /// The JDK calls no method of the program (points-to).
    NoCallbacks,
    /// Lambdas get nothing (points-to).
    NoLambdas,
    /// Fields hold nothing (points-to).
    EmptyFields,
    /// Calls pass nothing on (points-to).
    EmptyCalls,
    /// Calls return nothing (points-to).
    EmptyResults,
    /// Objects meet no others (groups).
    NoPartners,
    /// A field that is read elsewhere is confined.
    EverythingConfined,
}

impl Mistake {
    /// Mistakes that programs in the analyses' own form show.
    pub const OF_METHODS: [Mistake; 17] = [
        Mistake::MayIsMust,
        Mistake::NullForgotten,
        Mistake::NoRecency,
        Mistake::LivesOnUnchecked,
        Mistake::SilencedReports,
        Mistake::NoEmissions,
        Mistake::NoHistory,
        Mistake::NobodyElse,
        Mistake::NoHandlers,
        Mistake::NeverThrownOut,
        Mistake::NoParameters,
        Mistake::NoLoads,
        Mistake::NoStores,
        Mistake::NothingKept,
        Mistake::NothingReturned,
        Mistake::ViewsStay,
        Mistake::EndIgnored,
    ];
    /// Mistakes that Java programs show.
    pub const OF_PROGRAMS: [Mistake; 8] = [
        Mistake::NothingBack,
        Mistake::NoCallbacks,
        Mistake::NoLambdas,
        Mistake::EmptyFields,
        Mistake::EmptyCalls,
        Mistake::EmptyResults,
        Mistake::NoPartners,
        Mistake::EverythingConfined,
    ];

    /// Whether it is to be made.
    #[inline]
    pub(crate) fn is_made(self) -> bool {
        #[cfg(feature = "mutants")]
        {
            made::NOW.with(|now| now.get() == Some(self))
        }
        #[cfg(not(feature = "mutants"))]
        {
            false
        }
    }
}

#[cfg(feature = "mutants")]
mod made {
    use std::cell::Cell;

    thread_local! {
        pub static NOW: Cell<Option<super::Mistake>> = const { Cell::new(None) };
    }
}

/// Makes a mistake from now on, on this thread, or none.
#[cfg(feature = "mutants")]
pub fn make(mistake: Option<Mistake>) {
    made::NOW.with(|now| now.set(mistake));
}

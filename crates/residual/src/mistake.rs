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
    /// No other code acts on outside objects.
    NobodyElse,
    /// Effects of callees on objects of others are ignored (one thread).
    OthersUntouched,
    /// The JDK runs no method of the program by itself (one thread).
    JdkRunsNothing,
    /// Views of sorted collections compare nothing when they are only asked (one thread).
    PartsUncompared,
    /// Whatever an object is, the JDK asks it only what it asks any object (one thread).
    OnlyValuesAsked,
    /// Sorted collections compare nothing when they are looked at as objects (one thread).
    OrderUnasked,
    /// All collections of the JDK ask only their elements and comparators (one thread).
    CollectionsAlike,
    /// Objects of the program are of one kind only, too.
    NobodyIsBoth,
    /// Types of the program are not asked for methods that a class inherits from the JDK.
    NothingInherited,
    /// What is wrapped is handed to nobody.
    WrappedKeepQuiet,
    /// Objects that are read from streams have what constructors put into their fields.
    NothingRestored,
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
    /// No code requests the comparator of a collection (points-to).
    ComparatorsGone,
    /// The JDK puts nothing into arrays that it is given (points-to).
    ArraysUnfilled,
    /// Components of records are not compared.
    RecordsUncompared,
    /// No code reads values that lambdas capture (points-to).
    CapturesUnread,
    /// No code reads fields of the JDK's objects or replaces serialised objects.
    NobodyWalks,
    /// What a view is of is not serialised with it (points-to).
    ViewsUnwalked,
    /// Transient fields are never serialised.
    TransientsUnwritten,
    /// Reflection calls no method of the program (points-to).
    NobodyReflects,
    /// The JDK calls no constructor with arguments (points-to).
    NothingReadAnew,
    /// Events are about objects that are not made yet.
    MadeBefore,
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
    /// Iterators that the JDK hands through are its own.
    NothingHanded,
    /// No code receives iterators of streams.
    NobodySplits,
    /// Nothing comes out of collections (points-to).
    NothingComesOut,
    /// Arrays hold nothing (points-to).
    EmptyArrays,
    /// Collections are not copied (points-to).
    NothingCopied,
    /// Collections that are given away keep what they hold to themselves (points-to).
    NothingIsOpen,
    /// No code receives the contents of collections (points-to).
    NothingShown,
    /// No code adds anything to lent objects (points-to).
    NothingWritten,
    /// Iterators put nothing into collections (points-to).
    IteratorsOnlyRead,
    /// What factories made of what they return shares nothing with it (points-to).
    NothingDerived,
    /// No code creates views or iterators of escaped objects (points-to).
    NothingDerivedByOthers,
    /// No code gets the entries of escaped maps (points-to).
    EntriesAreOwn,
    /// Fields of classes that reflection names are not reached by it.
    ClassesUnreached,
    /// Public fields are not reached by computed names.
    PublicUnreached,
    /// Fields that are reached by name are only read.
    NamesOnlyRead,
    /// What wraps a collection is one of the JDK's (points-to).
    WrapsNothing,
    /// Views of what is not known hand nothing through (points-to).
    ViewsHandNothing,
    /// Parts of what hands something through hand nothing through.
    PartsHandNothing,
    /// Wrappers are always new (points-to).
    WrappersAreNew,
    /// What prints, sends or acts is not seen (residuals of properties).
    NothingIsSeen,
    /// Variables that others read do not matter (residuals of properties).
    NothingIsShared,
    /// Variables that initial values read do not matter (residuals of properties).
    InitialReadsIgnored,
    /// Variables that conditions read do not matter (residuals of properties).
    ConditionsIgnored,
    /// Clocks run whenever an instance began (residuals of properties).
    ClocksAlwaysRun,
    /// Deadlines run whenever an instance began (residuals of properties).
    DeadlinesAlwaysRun,
    /// Setting a clock does nothing (residuals of properties).
    ClockActionsIgnored,
    /// It does not matter which instances exist (residuals of properties).
    EverybodyExists,
    /// Values are compared by identity, whatever is said (residuals of properties).
    KeysAreIdentities,
    /// Findings of invariants' automata are ignored (residuals of properties).
    InvariantsIgnored,
    /// Loops do nothing (residuals of properties).
    LoopsDoNothing,
    /// Loops keep no later transition from being taken (residuals of properties).
    LoopsHideNothing,
    /// The code of states does nothing (residuals of properties).
    EntriesDoNothing,
    /// The end of an automaton has no effect on others (residuals of properties).
    DropsConcernNobody,
    /// Sites that are silenced still happen (residuals of properties).
    SilencedStillHappens,
    /// No class says what is equal (programs).
    NobodySaysWhatIsEqual,
    /// Objects come from `new` alone (programs).
    MadeByNewOnly,
    /// What is equal stays equal (programs).
    EqualForGood,
    /// Several events in a row need not be adjacent (residuals of properties).
    NothingIsAdjacent,
    /// Instances receive events from before they begin (residuals of properties).
    AlwaysThere,
    /// The beginning of an instance cannot be observed (residuals of properties).
    BeginningIsPrivate,
    /// There are no slices of fewer parameters (residuals of properties).
    SlicesAreWhole,
    /// An alarm that leaves the state as it is does nothing (residuals of properties).
    AlarmsStay,
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
    pub const OF_PROGRAMS: [Mistake; 47] = [
        Mistake::NothingRestored,
        Mistake::NothingInherited,
        Mistake::WrappedKeepQuiet,
        Mistake::NothingReadAnew,
        Mistake::NobodyReflects,
        Mistake::MadeBefore,
        Mistake::OthersUntouched,
        Mistake::JdkRunsNothing,
        Mistake::PartsUncompared,
        Mistake::OnlyValuesAsked,
        Mistake::OrderUnasked,
        Mistake::CollectionsAlike,
        Mistake::NobodyIsBoth,
        Mistake::NothingBack,
        Mistake::NoCallbacks,
        Mistake::NoLambdas,
        Mistake::EmptyFields,
        Mistake::EmptyCalls,
        Mistake::EmptyResults,
        Mistake::NoPartners,
        Mistake::EverythingConfined,
        Mistake::NothingHanded,
        Mistake::NobodySplits,
        Mistake::NothingComesOut,
        Mistake::EmptyArrays,
        Mistake::NothingCopied,
        Mistake::NothingIsOpen,
        Mistake::NothingShown,
        Mistake::NothingWritten,
        Mistake::IteratorsOnlyRead,
        Mistake::NothingDerived,
        Mistake::NothingDerivedByOthers,
        Mistake::EntriesAreOwn,
        Mistake::ClassesUnreached,
        Mistake::PublicUnreached,
        Mistake::NamesOnlyRead,
        Mistake::WrapsNothing,
        Mistake::ViewsHandNothing,
        Mistake::PartsHandNothing,
        Mistake::WrappersAreNew,
        Mistake::ComparatorsGone,
        Mistake::ArraysUnfilled,
        Mistake::RecordsUncompared,
        Mistake::CapturesUnread,
        Mistake::NobodyWalks,
        Mistake::ViewsUnwalked,
        Mistake::TransientsUnwritten,
    ];

    /// Mistakes about properties with symbolic state: one for every condition.
    pub const OF_PROPERTIES: [Mistake; 21] = [
        Mistake::InvariantsIgnored,
        Mistake::NothingIsSeen,
        Mistake::NothingIsShared,
        Mistake::InitialReadsIgnored,
        Mistake::ConditionsIgnored,
        Mistake::ClocksAlwaysRun,
        Mistake::DeadlinesAlwaysRun,
        Mistake::ClockActionsIgnored,
        Mistake::EverybodyExists,
        Mistake::KeysAreIdentities,
        Mistake::LoopsDoNothing,
        Mistake::LoopsHideNothing,
        Mistake::EntriesDoNothing,
        Mistake::DropsConcernNobody,
        Mistake::SilencedStillHappens,
        Mistake::NothingIsAdjacent,
        Mistake::AlwaysThere,
        Mistake::BeginningIsPrivate,
        Mistake::SlicesAreWhole,
        Mistake::AlarmsStay,
        Mistake::MayIsMust,
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

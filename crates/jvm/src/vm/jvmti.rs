//! The JVM Tool Interface: what the agent calls of it.
//!
//! Positions in the table are those of `jvmti.h` (numbered from 1 there), unchanged since version
//! 1.0; a test compares them with the headers of every JDK it finds.

use std::ffi::{c_char, c_void};

use super::{Class, Jni, MethodId, Object, entry, text_at};

/// The version asked for: 9, the first that knows modules. Newer VMs offer it, too.
pub const JVMTI_VERSION: i32 = 0x3009_0000;

/// The positions of the functions used here, by their titles in `jvmti.h`.
pub const JVMTI_POSITIONS: &[(&str, usize)] = &[
    ("SetEventNotificationMode", 2),
    ("GetThreadInfo", 9),
    ("GetCurrentThread", 18),
    ("IsModifiableClass", 45),
    ("Allocate", 46),
    ("Deallocate", 47),
    ("GetClassSignature", 48),
    ("GetSourceFileName", 50),
    ("GetClassMethods", 52),
    ("GetImplementedInterfaces", 54),
    ("GetClassLoader", 57),
    ("GetMethodName", 64),
    ("GetMethodDeclaringClass", 65),
    ("GetLineNumberTable", 70),
    ("GetLoadedClasses", 78),
    ("GetStackTrace", 104),
    ("GetTag", 106),
    ("SetTag", 107),
    ("ForceGarbageCollection", 108),
    ("IterateThroughHeap", 116),
    ("SetEventCallbacks", 122),
    ("DisposeEnvironment", 127),
    ("GetSystemProperty", 131),
    ("GetPotentialCapabilities", 140),
    ("AddCapabilities", 142),
    ("AddToBootstrapClassLoaderSearch", 149),
    ("RetransformClasses", 152),
];

/// What an agent may ask to be able to do: a set of bits, numbered as in `jvmti.h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Capabilities([u32; 4]);

/// A capability by its bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Capability {
    /// Tags on objects, and walks over the heap.
    TagObjects = 0,
    /// Source file names of classes.
    SourceFileName = 11,
    /// Line numbers of methods.
    LineNumbers = 12,
    /// A class hook for every class.
    AllClassHooks = 26,
    /// Events when native methods are bound.
    NativeMethodBinds = 30,
    /// Events of garbage collections.
    GarbageCollections = 31,
    /// Events of tagged objects that were collected.
    ObjectFrees = 32,
    /// To change classes that are loaded.
    Retransform = 37,
    /// To change any of them.
    RetransformAny = 38,
    /// VMStart before modules are set up.
    EarlyVmStart = 41,
    /// A class hook before VMStart.
    EarlyClassHooks = 42,
    /// To be told the truth in virtual threads.
    VirtualThreads = 44,
}

impl Capabilities {
    /// Adds a capability.
    pub fn with(mut self, capability: Capability) -> Capabilities {
        let bit = capability as u32;
        self.0[(bit / 32) as usize] |= 1 << (bit % 32);
        self
    }

    /// Whether a capability is among them.
    pub fn has(self, capability: Capability) -> bool {
        let bit = capability as u32;
        self.0[(bit / 32) as usize] & (1 << (bit % 32)) != 0
    }

    /// Those that are in both.
    pub fn and(self, other: Capabilities) -> Capabilities {
        let mut both = self;
        both.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
        both
    }
}

/// Events that an agent can receive; the numbers of `jvmti.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Notice {
    /// The VM runs.
    VmInit = 50,
    /// The VM ends.
    VmDeath = 51,
    /// A thread ends.
    ThreadEnd = 53,
    /// A class is about to be parsed.
    ClassFileLoadHook = 54,
    /// JNI may be used.
    VmStart = 57,
    /// A native method gets its code.
    NativeMethodBind = 67,
    /// A garbage collection is over.
    GarbageCollectionFinish = 82,
    /// A tagged object was collected.
    ObjectFree = 83,
}

/// The table of callbacks; positions are event numbers minus 50.
#[repr(C)]
pub struct Callbacks {
    table: [*const c_void; 37],
}

/// A hook for class files.
pub type ClassFileLoadHook = extern "system" fn(
    tools: *mut c_void,
    jni: *mut c_void,
    redefined: Class,
    loader: Object,
    name: *const c_char,
    domain: Object,
    length: i32,
    data: *const u8,
    new_length: *mut i32,
    new_data: *mut *mut u8,
);

/// Hears of a native method and its code, and may have the VM call other code.
pub type NativeMethodBind = extern "system" fn(
    tools: *mut c_void,
    jni: *mut c_void,
    thread: Object,
    method: MethodId,
    code: *mut c_void,
    new_code: *mut *mut c_void,
);

impl Callbacks {
    /// None.
    pub fn new() -> Callbacks {
        Callbacks { table: [std::ptr::null(); 37] }
    }

    fn set(mut self, notice: Notice, function: *const c_void) -> Callbacks {
        self.table[(notice as i32 - 50) as usize] = function;
        self
    }

    /// VMInit.
    pub fn vm_init(self, f: extern "system" fn(*mut c_void, *mut c_void, Object)) -> Callbacks {
        self.set(Notice::VmInit, f as *const c_void)
    }

    /// VMDeath.
    pub fn vm_death(self, f: extern "system" fn(*mut c_void, *mut c_void)) -> Callbacks {
        self.set(Notice::VmDeath, f as *const c_void)
    }

    /// ClassFileLoadHook.
    pub fn class_hook(self, f: ClassFileLoadHook) -> Callbacks {
        self.set(Notice::ClassFileLoadHook, f as *const c_void)
    }

    /// NativeMethodBind.
    pub fn native_bind(self, f: NativeMethodBind) -> Callbacks {
        self.set(Notice::NativeMethodBind, f as *const c_void)
    }

    /// ThreadEnd.
    pub fn thread_end(self, f: extern "system" fn(*mut c_void, *mut c_void, Object)) -> Callbacks {
        self.set(Notice::ThreadEnd, f as *const c_void)
    }

    /// ObjectFree.
    pub fn freed(self, f: extern "system" fn(*mut c_void, i64)) -> Callbacks {
        self.set(Notice::ObjectFree, f as *const c_void)
    }

    /// GarbageCollectionFinish.
    pub fn collected(self, f: extern "system" fn(*mut c_void)) -> Callbacks {
        self.set(Notice::GarbageCollectionFinish, f as *const c_void)
    }
}

impl Default for Callbacks {
    fn default() -> Callbacks {
        Callbacks::new()
    }
}

/// Callbacks of a walk over the heap.
#[repr(C)]
pub struct HeapCallbacks {
    /// For every object: class tag, size, its tag, length of an array, user data; answers flags.
    pub object: Option<extern "system" fn(i64, i64, *mut i64, i32, *mut c_void) -> i32>,
    reference: *const c_void,
    /// For every primitive field: kind, which, class tag, the object's tag, the value, its type.
    pub field: Option<
        extern "system" fn(i32, *const HeapField, i64, *mut i64, i64, i32, *mut c_void) -> i32,
    >,
    array: *const c_void,
    string: *const c_void,
    reserved: [*const c_void; 11],
}

/// Which field a heap walk is at: its position among the fields of the class.
#[repr(C)]
pub struct HeapField {
    /// The position.
    pub index: i32,
}

impl HeapCallbacks {
    /// None.
    pub fn new() -> HeapCallbacks {
        HeapCallbacks {
            object: None,
            reference: std::ptr::null(),
            field: None,
            array: std::ptr::null(),
            string: std::ptr::null(),
            reserved: [std::ptr::null(); 11],
        }
    }
}

impl Default for HeapCallbacks {
    fn default() -> HeapCallbacks {
        HeapCallbacks::new()
    }
}
/// Leave out objects whose class is not tagged.
pub const FILTER_CLASS_UNTAGGED: i32 = 0x20;
/// A frame of a stack.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// The position in its code; -1 in native methods.
    pub at: i64,
}

#[repr(C)]
struct ThreadInfo {
    name: *mut c_char,
    priority: i32,
    daemon: u8,
    group: Object,
    loader: Object,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LineNumber {
    start: i64,
    line: i32,
}

/// An error of the interface, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolError(pub i32);

impl std::fmt::Display for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JVMTI error {}", self.0)
    }
}

impl std::error::Error for ToolError {}

type Result<T> = std::result::Result<T, ToolError>;

fn check(code: i32) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(ToolError(code)) }
}

/// An environment of the tool interface; usable from every thread.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Tools(*mut c_void);

// SAFETY: the specification allows every function to be called from any thread, given the phase.
unsafe impl Send for Tools {}
// SAFETY: as above; the environment itself is never written through this pointer by us.
unsafe impl Sync for Tools {}

macro_rules! call {
    ($env:expr, $index:literal, fn($($ty:ty),*), $($arg:expr),*) => {{
        // SAFETY: a `Tools` is made only from an environment the JVM created for version 9 or
        // later, so the table has this entry (they are numbered from 1); signature and position
        // are those of `jvmti.h`, checked by a test. Out-pointers point to locals of the caller.
        check(unsafe {
            let function: extern "system" fn(*mut c_void $(, $ty)*) -> i32 =
                entry($env.0, $index - 1);
            function($env.0 $(, $arg)*)
        })
    }};
}

impl Tools {
    /// An environment a JVM created.
    ///
    /// # Safety
    /// `env` must be a `jvmtiEnv*` of version [`JVMTI_VERSION`] or later.
    pub unsafe fn from_raw(env: *mut c_void) -> Tools {
        Tools(env)
    }

    /// Switches a notice on or off, for all threads.
    pub fn notify(self, notice: Notice, on: bool) -> Result<()> {
        type Set = unsafe extern "C" fn(*mut c_void, i32, i32, Object, ...) -> i32;
        // SAFETY: as in `call!`; this one is variadic, without further arguments.
        check(unsafe {
            let set: Set = entry(self.0, 1);
            set(self.0, i32::from(on), notice as i32, std::ptr::null_mut())
        })
    }

    /// The name of a thread; null is the current one.
    pub fn thread_name(self, jni: Jni, thread: Object) -> Result<String> {
        let mut info = ThreadInfo {
            name: std::ptr::null_mut(),
            priority: 0,
            daemon: 0,
            group: std::ptr::null_mut(),
            loader: std::ptr::null_mut(),
        };
        call!(self, 9, fn(Object, *mut ThreadInfo), thread, &mut info)?;
        for reference in [info.group, info.loader] {
            if !reference.is_null() {
                jni.delete_local(reference);
            }
        }
        Ok(self.take_text(info.name))
    }

    /// The current thread.
    pub fn current_thread(self) -> Result<Object> {
        let mut thread = std::ptr::null_mut();
        call!(self, 18, fn(*mut Object), &mut thread)?;
        Ok(thread)
    }

    /// Whether a class can be changed after it was loaded.
    pub fn is_modifiable(self, class: Class) -> Result<bool> {
        let mut modifiable = 0u8;
        call!(self, 45, fn(Class, *mut u8), class, &mut modifiable)?;
        Ok(modifiable != 0)
    }

    /// Memory the VM will own, filled with `bytes`.
    pub fn allocate(self, bytes: &[u8]) -> Result<*mut u8> {
        let mut memory: *mut u8 = std::ptr::null_mut();
        let size = bytes.len() as i64;
        call!(self, 46, fn(i64, *mut *mut u8), size, &mut memory)?;
        // SAFETY: the VM has just given us that many bytes of its own.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Ok(memory)
    }

    fn deallocate(self, memory: *mut c_void) {
        if !memory.is_null() {
            let _ = call!(self, 47, fn(*mut c_void), memory);
        }
    }

    /// Copies a text the VM allocated for us, and gives it back.
    fn take_text(self, text: *mut c_char) -> String {
        // SAFETY: the VM hands out texts that end in NUL, or null.
        let copy = unsafe { text_at(text) };
        self.deallocate(text.cast());
        copy
    }

    /// The type descriptor of a class: `Ljava/lang/String;`.
    pub fn class_signature(self, class: Class) -> Result<String> {
        let mut text = std::ptr::null_mut();
        let none = std::ptr::null_mut();
        call!(self, 48, fn(Class, *mut *mut c_char, *mut *mut c_char), class, &mut text, none)?;
        Ok(self.take_text(text))
    }

    /// The source file of a class.
    pub fn source_file(self, class: Class) -> Result<String> {
        let mut text = std::ptr::null_mut();
        call!(self, 50, fn(Class, *mut *mut c_char), class, &mut text)?;
        Ok(self.take_text(text))
    }

    /// Has the bootstrap loader look for classes and resources in a folder, too. Before the VM runs.
    pub fn append_to_boot_path(self, folder: &str) -> Result<()> {
        let folder = std::ffi::CString::new(folder).unwrap_or_default();
        call!(self, 149, fn(*const c_char), folder.as_ptr())
    }

    /// The direct superinterfaces of a class.
    pub fn interfaces(self, class: Class) -> Result<Vec<Class>> {
        let mut count = 0i32;
        let mut table: *mut Class = std::ptr::null_mut();
        call!(self, 54, fn(Class, *mut i32, *mut *mut Class), class, &mut count, &mut table)?;
        Ok(self.take_classes(count, table))
    }

    /// The methods that a class declares.
    pub fn methods(self, class: Class) -> Result<Vec<MethodId>> {
        let mut count = 0i32;
        let mut table: *mut MethodId = std::ptr::null_mut();
        call!(self, 52, fn(Class, *mut i32, *mut *mut MethodId), class, &mut count, &mut table)?;
        Ok(self.take_classes(count, table))
    }

    /// Copies a list of references the VM allocated for us, and gives it back.
    fn take_classes(self, count: i32, table: *mut Class) -> Vec<Class> {
        if table.is_null() {
            return Vec::new();
        }
        let length = usize::try_from(count).unwrap_or(0);
        // SAFETY: the VM has filled that many entries.
        let classes = unsafe { std::slice::from_raw_parts(table, length) }.to_vec();
        self.deallocate(table.cast());
        classes
    }

    /// The name of a method.
    pub fn method_name(self, method: MethodId) -> Result<String> {
        let mut text = std::ptr::null_mut();
        let none: *mut *mut c_char = std::ptr::null_mut();
        call!(
            self,
            64,
            fn(MethodId, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char),
            method,
            &mut text,
            none,
            none
        )?;
        Ok(self.take_text(text))
    }

    /// The class that declares a method.
    pub fn method_class(self, method: MethodId) -> Result<Class> {
        let mut class = std::ptr::null_mut();
        call!(self, 65, fn(MethodId, *mut Class), method, &mut class)?;
        Ok(class)
    }

    /// The line a position in a method's code belongs to.
    pub fn line_of(self, method: MethodId, at: i64) -> Option<u32> {
        let mut count = 0i32;
        let mut table: *mut LineNumber = std::ptr::null_mut();
        call!(
            self,
            70,
            fn(MethodId, *mut i32, *mut *mut LineNumber),
            method,
            &mut count,
            &mut table
        )
        .ok()
        .filter(|()| !table.is_null())?;
        let length = usize::try_from(count).unwrap_or(0);
        // SAFETY: the VM has filled that many entries.
        let entries = unsafe { std::slice::from_raw_parts(table, length) };
        let found = entries.iter().filter(|e| e.start <= at).max_by_key(|e| e.start);
        let line = found.and_then(|e| u32::try_from(e.line).ok());
        self.deallocate(table.cast());
        line
    }

    /// Every class that is loaded, as references of the current frame.
    pub fn loaded_classes(self) -> Result<Vec<Class>> {
        let mut count = 0i32;
        let mut table: *mut Class = std::ptr::null_mut();
        call!(self, 78, fn(*mut i32, *mut *mut Class), &mut count, &mut table)?;
        Ok(self.take_classes(count, table))
    }

    /// The innermost frames of the current thread.
    pub fn stack(self, most: usize) -> Result<Vec<Frame>> {
        let mut frames = vec![Frame { method: std::ptr::null_mut(), at: 0 }; most];
        let mut count = 0i32;
        let limit = i32::try_from(most).unwrap_or(i32::MAX);
        call!(
            self,
            104,
            fn(Object, i32, i32, *mut Frame, *mut i32),
            std::ptr::null_mut(),
            0,
            limit,
            frames.as_mut_ptr(),
            &mut count
        )?;
        frames.truncate(usize::try_from(count).unwrap_or(0));
        Ok(frames)
    }

    /// The tag of an object; 0 if it has none.
    pub fn tag(self, object: Object) -> Result<i64> {
        let mut tag = 0;
        call!(self, 106, fn(Object, *mut i64), object, &mut tag)?;
        Ok(tag)
    }

    /// Tags an object.
    pub fn set_tag(self, object: Object, tag: i64) -> Result<()> {
        call!(self, 107, fn(Object, i64), object, tag)
    }

    /// Collects garbage, all of it.
    pub fn collect_garbage(self) -> Result<()> {
        call!(self, 108, fn(),)
    }

    /// Walks over the heap, dead objects that were not collected yet included.
    pub fn walk_heap(
        self,
        filter: i32,
        callbacks: &HeapCallbacks,
        data: *mut c_void,
    ) -> Result<()> {
        call!(
            self,
            116,
            fn(i32, Class, *const HeapCallbacks, *mut c_void),
            filter,
            std::ptr::null_mut(),
            callbacks,
            data
        )
    }

    /// Says what is to be called.
    pub fn set_callbacks(self, callbacks: &Callbacks) -> Result<()> {
        let size = size_of::<Callbacks>() as i32;
        call!(self, 122, fn(*const Callbacks, i32), callbacks, size)
    }

    /// Ends the environment: nothing of it is called from now on, and it must not be used again.
    pub fn dispose(self) -> Result<()> {
        call!(self, 127, fn(),)
    }

    /// A system property of the VM.
    pub fn property(self, name: &std::ffi::CStr) -> Result<String> {
        let mut text = std::ptr::null_mut();
        call!(self, 131, fn(*const c_char, *mut *mut c_char), name.as_ptr(), &mut text)?;
        Ok(self.take_text(text))
    }

    /// What can be asked for now.
    pub fn potential(self) -> Result<Capabilities> {
        let mut capabilities = Capabilities::default();
        call!(self, 140, fn(*mut Capabilities), &mut capabilities)?;
        Ok(capabilities)
    }

    /// Asks for capabilities.
    pub fn add_capabilities(self, capabilities: Capabilities) -> Result<()> {
        call!(self, 142, fn(*const Capabilities), &capabilities)
    }

    /// Sends loaded classes through the class hook again.
    pub fn retransform(self, classes: &[Class]) -> Result<()> {
        let count = classes.len() as i32;
        call!(self, 152, fn(i32, *const Class), count, classes.as_ptr())
    }
}

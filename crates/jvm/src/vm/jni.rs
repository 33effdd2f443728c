//! The Java Native Interface: what the agent calls of it.
//!
//! Positions in the table are those of `jni.h`, which have been the same since JDK 1.2; a test
//! compares them with the headers of every JDK it finds.

use std::ffi::{CStr, CString, c_char, c_void};

use super::entry;

/// A reference to a Java object, valid in one thread until its frame ends; may be null.
pub type Object = *mut c_void;
/// A reference to a class.
pub type Class = Object;
/// A method.
pub type MethodId = *mut c_void;
/// A field.
pub type FieldId = *mut c_void;

/// An argument of a Java method.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Argument {
    /// `int` and narrower.
    pub int: i32,
    /// `long`.
    pub long: i64,
    /// A reference.
    pub object: Object,
}

/// A native method to register.
#[repr(C)]
pub struct NativeMethod {
    /// Its name.
    pub name: *const c_char,
    /// Its descriptor.
    pub descriptor: *const c_char,
    /// Its code.
    pub code: *mut c_void,
}

/// The positions of the functions used here, by the names of `jni.h`.
pub const JNI_POSITIONS: &[(&str, usize)] = &[
    ("DefineClass", 5),
    ("FindClass", 6),
    ("Throw", 13),
    ("ThrowNew", 14),
    ("ExceptionOccurred", 15),
    ("ExceptionClear", 17),
    ("PushLocalFrame", 19),
    ("PopLocalFrame", 20),
    ("NewGlobalRef", 21),
    ("DeleteGlobalRef", 22),
    ("DeleteLocalRef", 23),
    ("IsSameObject", 24),
    ("NewObjectA", 30),
    ("GetObjectClass", 31),
    ("IsInstanceOf", 32),
    ("GetMethodID", 33),
    ("CallObjectMethodA", 36),
    ("CallIntMethodA", 51),
    ("CallLongMethodA", 54),
    ("CallVoidMethodA", 63),
    ("GetFieldID", 94),
    ("GetObjectField", 95),
    ("GetLongField", 101),
    ("SetLongField", 110),
    ("GetStaticMethodID", 113),
    ("CallStaticObjectMethodA", 116),
    ("CallStaticVoidMethodA", 143),
    ("NewStringUTF", 167),
    ("GetArrayLength", 171),
    ("GetByteArrayRegion", 200),
    ("RegisterNatives", 215),
    ("GetStringLength", 164),
    ("GetStringUTFLength", 168),
    ("GetStringUTFRegion", 221),
    ("GetStringRegion", 220),
    ("NewWeakGlobalRef", 226),
    ("DeleteWeakGlobalRef", 227),
    ("ExceptionCheck", 228),
];

/// The environment of the current thread.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Jni(*mut c_void);

/// Functions that are called with the environment first.
macro_rules! call {
    ($env:expr, $index:literal, fn($($ty:ty),*) $(-> $result:ty)?, $($arg:expr),*) => {{
        // SAFETY: a `Jni` is made only from the environment a JVM handed to this thread, so its
        // table is complete; position and signature are those of `jni.h`, checked by a test.
        // Arguments are references of this thread, ids of the right class, or buffers that live
        // across the call: see the methods below.
        unsafe {
            let function: extern "system" fn(*mut c_void $(, $ty)*) $(-> $result)? =
                entry($env.0, $index);
            function($env.0 $(, $arg)*)
        }
    }};
}

/// A text as the JVM wants it; in modified UTF-8 no byte is NUL.
fn c_text(text: &str) -> CString {
    CString::new(watchword_classfile::encode_jstr(text)).unwrap_or_default()
}

impl Jni {
    /// The environment a JVM passed to a function of ours.
    ///
    /// # Safety
    /// `env` must be the `JNIEnv*` of the current thread; the result must not leave it.
    #[inline(always)]
    pub unsafe fn from_raw(env: *mut c_void) -> Jni {
        Jni(env)
    }

    /// Whether there is an environment: before the VM has started there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Defines a class in the bootstrap loader; null with an exception if it cannot be.
    pub fn define_boot_class(self, name: &str, bytes: &[u8]) -> Class {
        let name = c_text(name);
        let length = i32::try_from(bytes.len()).unwrap_or(0);
        let data = bytes.as_ptr();
        call!(
            self,
            5,
            fn(*const c_char, Object, *const u8, i32) -> Class,
            name.as_ptr(),
            std::ptr::null_mut(),
            data,
            length
        )
    }

    /// A class by its internal name; null, without an exception, if there is none.
    pub fn find_class(self, name: &str) -> Class {
        let name = c_text(name);
        let class = call!(self, 6, fn(*const c_char) -> Class, name.as_ptr());
        self.clear_exception();
        class
    }

    /// Makes an exception pending.
    pub fn throw(self, exception: Object) {
        call!(self, 13, fn(Object) -> i32, exception);
    }

    /// Makes a new exception with a message pending.
    pub fn throw_new(self, class: Class, message: &str) {
        let message = c_text(message);
        call!(self, 14, fn(Class, *const c_char) -> i32, class, message.as_ptr());
    }

    /// The pending exception, or null.
    pub fn exception(self) -> Object {
        call!(self, 15, fn() -> Object,)
    }

    /// Forgets the pending exception; answers whether there was one.
    pub fn clear_exception(self) -> bool {
        let pending = self.exception_pending();
        if pending {
            call!(self, 17, fn(),);
        }
        pending
    }

    /// Whether an exception is pending.
    pub fn exception_pending(self) -> bool {
        call!(self, 228, fn() -> u8,) != 0
    }

    /// Runs `body` in a frame of references of its own and drops those at its end.
    pub fn framed<T>(self, capacity: i32, body: impl FnOnce() -> T) -> Option<T> {
        if call!(self, 19, fn(i32) -> i32, capacity) != 0 {
            self.clear_exception();
            return None;
        }
        let result = body();
        call!(self, 20, fn(Object) -> Object, std::ptr::null_mut());
        Some(result)
    }

    /// A reference that is valid in every thread until it is deleted.
    pub fn global(self, object: Object) -> Object {
        call!(self, 21, fn(Object) -> Object, object)
    }

    /// Deletes a global reference.
    pub fn delete_global(self, object: Object) {
        call!(self, 22, fn(Object), object);
    }

    /// Deletes a local reference.
    pub fn delete_local(self, object: Object) {
        call!(self, 23, fn(Object), object);
    }

    /// Whether two references are of the same object.
    pub fn is_same(self, one: Object, other: Object) -> bool {
        call!(self, 24, fn(Object, Object) -> u8, one, other) != 0
    }

    /// A new object; null with an exception if its constructor throws.
    pub fn new_object(self, class: Class, constructor: MethodId, args: &[Argument]) -> Object {
        call!(
            self,
            30,
            fn(Class, MethodId, *const Argument) -> Object,
            class,
            constructor,
            args.as_ptr()
        )
    }

    /// The class of an object that is not null.
    #[inline]
    pub fn class_of(self, object: Object) -> Class {
        call!(self, 31, fn(Object) -> Class, object)
    }

    /// Whether an object is of a class or one of its subclasses; null is of every class.
    #[inline]
    pub fn is_instance(self, object: Object, class: Class) -> bool {
        call!(self, 32, fn(Object, Class) -> u8, object, class) != 0
    }

    /// A method; null, without an exception, if there is none.
    pub fn method(self, class: Class, name: &str, descriptor: &str) -> MethodId {
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            33,
            fn(Class, *const c_char, *const c_char) -> MethodId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// A static method; null, without an exception, if there is none.
    pub fn static_method(self, class: Class, name: &str, descriptor: &str) -> MethodId {
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            113,
            fn(Class, *const c_char, *const c_char) -> MethodId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// Calls a method that gives an object.
    pub fn call_object(self, object: Object, method: MethodId, args: &[Argument]) -> Object {
        call!(
            self,
            36,
            fn(Object, MethodId, *const Argument) -> Object,
            object,
            method,
            args.as_ptr()
        )
    }

    /// Calls a method that gives an `int`.
    pub fn call_int(self, object: Object, method: MethodId, args: &[Argument]) -> i32 {
        call!(self, 51, fn(Object, MethodId, *const Argument) -> i32, object, method, args.as_ptr())
    }

    /// Calls a method that gives a `long`.
    pub fn call_long(self, object: Object, method: MethodId, args: &[Argument]) -> i64 {
        call!(self, 54, fn(Object, MethodId, *const Argument) -> i64, object, method, args.as_ptr())
    }

    /// Calls a static method that gives an object.
    pub fn call_static_object(self, class: Class, method: MethodId, args: &[Argument]) -> Object {
        call!(
            self,
            116,
            fn(Class, MethodId, *const Argument) -> Object,
            class,
            method,
            args.as_ptr()
        )
    }

    /// Calls a static method that gives nothing.
    pub fn call_static_void(self, class: Class, method: MethodId, args: &[Argument]) {
        call!(self, 143, fn(Class, MethodId, *const Argument), class, method, args.as_ptr());
    }

    /// A field; null, without an exception, if there is none.
    pub fn field(self, class: Class, name: &str, descriptor: &str) -> FieldId {
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            94,
            fn(Class, *const c_char, *const c_char) -> FieldId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// A field of type `long` of an object.
    #[inline]
    pub fn long_field(self, object: Object, field: FieldId) -> i64 {
        call!(self, 101, fn(Object, FieldId) -> i64, object, field)
    }

    /// Sets a field of type `long`.
    #[inline]
    pub fn set_long_field(self, object: Object, field: FieldId, value: i64) {
        call!(self, 110, fn(Object, FieldId, i64), object, field, value);
    }

    /// A Java string.
    pub fn string(self, text: &str) -> Object {
        let text = c_text(text);
        call!(self, 167, fn(*const c_char) -> Object, text.as_ptr())
    }

    /// The text of a Java string that is not null.
    pub fn text_of(self, string: Object) -> String {
        let length = call!(self, 164, fn(Object) -> i32, string);
        let mut units = vec![0u16; usize::try_from(length).unwrap_or(0)];
        call!(self, 220, fn(Object, i32, i32, *mut u16), string, 0, length, units.as_mut_ptr());
        String::from_utf16_lossy(&units)
    }

    /// The bytes of a `byte[]` that is not null.
    pub fn bytes_of(self, array: Object) -> Vec<u8> {
        let length = call!(self, 171, fn(Object) -> i32, array);
        let mut bytes = vec![0u8; usize::try_from(length).unwrap_or(0)];
        call!(self, 200, fn(Object, i32, i32, *mut u8), array, 0, length, bytes.as_mut_ptr());
        bytes
    }

    /// Gives native methods of a class their code; answers whether that worked.
    ///
    /// # Safety
    /// Every code must be a function `extern "system"` that takes the environment, the class (or
    /// the object) and what its descriptor says.
    pub unsafe fn register_natives(
        self,
        class: Class,
        methods: &[(CString, CString, *mut c_void)],
    ) -> bool {
        let table: Vec<NativeMethod> = methods
            .iter()
            .map(|(name, descriptor, code)| NativeMethod {
                name: name.as_ptr(),
                descriptor: descriptor.as_ptr(),
                code: *code,
            })
            .collect();
        let count = i32::try_from(table.len()).unwrap_or(0);
        let done = call!(
            self,
            215,
            fn(Class, *const NativeMethod, i32) -> i32,
            class,
            table.as_ptr(),
            count
        ) == 0;
        self.clear_exception();
        done
    }

    /// A reference that does not keep its object alive.
    pub fn weak(self, object: Object) -> Object {
        call!(self, 226, fn(Object) -> Object, object)
    }

    /// Deletes a weak reference.
    pub fn delete_weak(self, object: Object) {
        call!(self, 227, fn(Object), object);
    }
}

/// The text of a C string the VM made: modified UTF-8, repaired where it is none.
///
/// # Safety
/// `text` must be null or point to a text that ends in NUL.
pub unsafe fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) };
    watchword_classfile::JStr::new(text.to_bytes()).to_str().into_owned()
}

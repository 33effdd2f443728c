//! The native methods that woven code ends up in, one per shape.

use std::ffi::{CString, c_void};

use watchword_weave::runtime;

use crate::callbacks;
use crate::homes::{Bound, Told};
use crate::vm::{Class, Object};

macro_rules! hooks {
    ($($objects:literal $longs:literal $name:ident [$($o:ident $i:ident),*] [$($l:ident),*])*) => {
        $(
            extern "system" fn $name(
                env: *mut c_void, _agent: Object, site: i32
                $(, $o: Object)* $(, $i: i64)* $(, $l: i64)*
            ) {
                callbacks::event(env, site, &[$($o),*], &[$($i),*], &[$($l),*]);
            }
        )*

        fn code(objects: usize, longs: usize) -> *mut c_void {
            match (objects, longs) {
                $(($objects, $longs) => $name as *mut c_void,)*
                _ => std::ptr::null_mut(),
            }
        }
    };
}

hooks! {
    0 0 n00 [] []
    0 1 n01 [] [x]
    0 2 n02 [] [x, y]
    0 3 n03 [] [x, y, z]
    0 4 n04 [] [x, y, z, w]
    1 0 n10 [a ia] []
    1 1 n11 [a ia] [x]
    1 2 n12 [a ia] [x, y]
    1 3 n13 [a ia] [x, y, z]
    1 4 n14 [a ia] [x, y, z, w]
    2 0 n20 [a ia, b ib] []
    2 1 n21 [a ia, b ib] [x]
    2 2 n22 [a ia, b ib] [x, y]
    2 3 n23 [a ia, b ib] [x, y, z]
    2 4 n24 [a ia, b ib] [x, y, z, w]
    3 0 n30 [a ia, b ib, c ic] []
    3 1 n31 [a ia, b ib, c ic] [x]
    3 2 n32 [a ia, b ib, c ic] [x, y]
    3 3 n33 [a ia, b ib, c ic] [x, y, z]
    3 4 n34 [a ia, b ib, c ic] [x, y, z, w]
    4 0 n40 [a ia, b ib, c ic, d id] []
    4 1 n41 [a ia, b ib, c ic, d id] [x]
    4 2 n42 [a ia, b ib, c ic, d id] [x, y]
    4 3 n43 [a ia, b ib, c ic, d id] [x, y, z]
    4 4 n44 [a ia, b ib, c ic, d id] [x, y, z, w]
}

extern "system" fn many(
    env: *mut c_void,
    _agent: Object,
    site: i32,
    objects: Object,
    longs: Object,
) {
    callbacks::event_in_arrays(env, site, objects, longs);
}

extern "system" fn side(env: *mut c_void, _agent: Object, object: Object) -> i64 {
    callbacks::side_id(env, object)
}

extern "system" fn number(env: *mut c_void, _agent: Object, class: Class) -> i64 {
    callbacks::class_number(env, class)
}

extern "system" fn hide(env: *mut c_void, _agent: Object, members: Object) -> Object {
    callbacks::hide(env, members)
}

#[allow(clippy::too_many_arguments, reason = "the signature is the runtime's")]
extern "system" fn told(
    env: *mut c_void,
    _agent: Object,
    site: i32,
    letter: i32,
    case: i32,
    leaf: i64,
    middle: i64,
    root: i64,
    code: i32,
    h0: i64,
    h1: i64,
) {
    let told = Told {
        letter: letter as usize,
        case: case as usize,
        bound: Bound { leaf: leaf as u64, middle: middle as u64, root: root as u64 },
        code: code as usize,
        history: [h0 as u64, h1 as u64],
    };
    // A bit beside the site says that there are other operations.
    callbacks::told(env, site & 0x3fff_ffff, &told);
}

extern "system" fn cases(env: *mut c_void, _agent: Object, choice: i32, class: Class) -> i32 {
    callbacks::cases(env, choice, class)
}

extern "system" fn inside(env: *mut c_void, _agent: Object) -> u8 {
    callbacks::is_inside(env).into()
}

extern "system" fn gone(_env: *mut c_void, _agent: Object) -> i64 {
    callbacks::gone()
}

extern "system" fn exhausted(_env: *mut c_void, _agent: Object) {
    callbacks::exhausted();
}

/// Name, descriptor and code of every native method of the runtime.
pub fn natives() -> Vec<(CString, CString, *mut c_void)> {
    let text = |text: &str| CString::new(text).unwrap_or_default();
    let events = runtime::events().into_iter().map(|(shape, descriptor)| {
        (text(runtime::EVENT), text(&descriptor), code(shape.objects, shape.longs))
    });
    let others = [
        (runtime::MANY, many as *mut c_void),
        (runtime::TOLD, told as *mut c_void),
        (runtime::CASES, cases as *mut c_void),
        (runtime::INSIDE, inside as *mut c_void),
        (runtime::GONE, gone as *mut c_void),
        (runtime::EXHAUSTED, exhausted as *mut c_void),
        (runtime::SIDE, side as *mut c_void),
        (runtime::HIDE, hide as *mut c_void),
        (runtime::NUMBER, number as *mut c_void),
    ];
    let others =
        others.into_iter().map(|((name, descriptor), code)| (text(name), text(descriptor), code));
    events.chain(others).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_shape_has_code() {
        assert!(super::natives().iter().all(|(_, _, code)| !code.is_null()));
    }
}

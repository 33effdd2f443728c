// A Rust program: modules, generics, slices, structures, panics caught.
use std::hint::black_box;

mod shop {
    pub struct Queue {
        pub items: Vec<i32>,
        pub limit: usize,
    }
    impl Queue {
        #[inline(never)]
        pub fn push(&mut self, value: i32) -> bool {
            if self.items.len() == self.limit {
                return false;
            }
            self.items.push(value);
            true
        }
    }
    #[inline(never)]
    pub fn total(values: &[i32], name: &str, scale: u64) -> i64 {
        values.iter().map(|v| i64::from(*v)).sum::<i64>() * scale as i64 + name.bytes().map(|b| i64::from(b)).sum::<i64>()
    }
}

static LIMIT: u32 = 3;

#[inline(never)]
fn generic<T: Into<i64>>(value: T, flag: bool) -> i64 {
    if flag { value.into() } else { 0 }
}

#[inline(never)]
fn fails(n: i32) -> i32 {
    if n % 2 == 0 {
        panic!("even");
    }
    n
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut q = black_box(shop::Queue { items: Vec::new(), limit: LIMIT as usize });
    for i in 0..5 {
        black_box(q.push(black_box(i * 11)));
    }
    let mut sum = shop::total(black_box(&q.items), black_box("rust"), black_box(2)) + generic(5i32, true) + generic(7u8, false);
    for i in 0..4 {
        sum += i64::from(std::panic::catch_unwind(|| black_box(fails(black_box(i)))).unwrap_or(100));
    }
    println!("{sum}");
}

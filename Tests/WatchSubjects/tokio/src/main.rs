//! usage: TRUTH=FILE watch-plants [--threads | --healthy] ROUNDS
//!
//! A program on tokio, on one thread or on four. Holds its loop with each plant, ROUNDS
//! times, and writes what it planted to TRUTH. ../README.md has the format. With
//! --healthy, short tasks run on four threads for 4 s times ROUNDS, and hold nothing.
use std::fmt::Write;
use std::io::Read;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

// MARK: Plants

#[inline(never)]
fn compute_long() {
    let began = Instant::now();
    let mut sum = 0u64;
    while began.elapsed() < Duration::from_millis(60) {
        for i in 0..1000u64 {
            sum = std::hint::black_box(sum.wrapping_add(i));
        }
    }
}

#[inline(never)]
fn sleep_long() {
    std::thread::sleep(Duration::from_millis(60));
    // The last call would be a jump, and this function not in the stack.
    std::hint::black_box(());
}

#[inline(never)]
fn run_child() {
    Command::new("sleep").arg("0.06").status().unwrap();
}

#[inline(never)]
fn wait_for_lock() {
    let lock = Arc::new(Mutex::new(()));
    let (other, (sender, taken)) = (lock.clone(), std::sync::mpsc::channel());
    std::thread::spawn(move || {
        let _guard = other.lock().unwrap();
        sender.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(80));
    });
    taken.recv().unwrap();
    drop(lock.lock().unwrap());
}

#[inline(never)]
fn read_pipe() {
    let (mut reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(80));
        drop(writer);
    });
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
}

#[inline(never)]
fn sort_strings() {
    let mut seed = 1u64;
    let mut strings: Vec<String> = (0..200_000)
        .map(|_| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            format!("{seed:x}")
        })
        .collect();
    strings.sort();
    std::hint::black_box(&strings);
}

type Plant = (&'static str, fn(), &'static str, &'static str);
const PLANTS: [Plant; 6] = [
    ("compute_long", compute_long, "running", "-"),
    ("sleep_long", sleep_long, "blocked", "sleep"),
    ("run_child", run_child, "blocked", "wait for the child sleep"),
    ("wait_for_lock", wait_for_lock, "blocked", "lock"),
    ("read_pipe", read_pipe, "blocked", "(read|recv).* of a socket"),
    ("sort_strings", sort_strings, "running", "-"),
];

// MARK: Truth

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

fn clock(number: i32) -> i64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(number, &mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

fn now() -> i64 {
    clock(1)
}

/// The time for which this thread has run, and for which it has waited for a CPU.
fn cpu_times() -> [i64; 2] {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let mut words = text.split(' ').map(|word| word.trim().parse().unwrap());
    words.next();
    [clock(3), words.next().unwrap()]
}

async fn plant_all(rounds: usize, with_ticks: bool) -> String {
    let truth = Arc::new(Mutex::new(String::new()));
    let ticks = truth.clone();
    let ticker = tokio::spawn(async move {
        while with_ticks {
            tokio::time::sleep(Duration::from_millis(5)).await;
            writeln!(ticks.lock().unwrap(), "tick\t{}", now()).unwrap();
        }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    for (name, plant, causes, reason) in PLANTS {
        for _ in 0..rounds {
            let line = tokio::spawn(async move {
                let ([cpu, queued], began) = (cpu_times(), now());
                plant();
                let (ended, after) = (now(), cpu_times());
                let (cpu, queued) = (after[0] - cpu, after[1] - queued);
                format!("hold\t{name}\t{began}\t{ended}\t{cpu}\t{queued}\t{causes}\t{name}\t{reason}")
            });
            let line = line.await.unwrap();
            writeln!(truth.lock().unwrap(), "{line}").unwrap();
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }
    ticker.abort();
    let text = truth.lock().unwrap().clone();
    text
}

/// Tasks that sleep for different times and wake each other, so that the threads wait
/// by turns for events and for each other.
async fn run_healthy(rounds: usize) -> String {
    let end = Instant::now() + Duration::from_secs(4 * rounds as u64);
    let mut tasks = Vec::new();
    for number in 1..9u64 {
        tasks.push(tokio::spawn(async move {
            while Instant::now() < end {
                let pause = if end - Instant::now() > Duration::from_secs(3) { 1 } else { 40 };
                tokio::time::sleep(Duration::from_millis(pause * number)).await;
                tokio::spawn(async { std::hint::black_box(1) }).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    String::new()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let with_threads = words[1].starts_with("--");
    let rounds = words.last().unwrap().parse().unwrap();
    let mut builder = match with_threads {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = builder.worker_threads(4).enable_all().build().unwrap();
    // Other threads run the ticks, so they prove nothing about the held one.
    let work = match words[1].as_str() {
        "--healthy" => runtime.spawn(run_healthy(rounds)),
        _ => runtime.spawn(plant_all(rounds, !with_threads)),
    };
    let text = runtime.block_on(work).unwrap();
    std::fs::write(std::env::var("TRUTH").unwrap(), text).unwrap();
}

//! Plans and jobs for several engines. `watchword-flink` tests the jobs on a cluster.

use watchword_classfile::source::{Zip, ZipWriter};

use crate::support::Dir;

#[test]
fn the_plan_tells_how_engines_can_share_instances() {
    let dir = Dir::new();
    let plan = |name: &str| {
        let ran = dir.run(&["replay", "-p", name, "--explain-plan"]).expect(0);
        ran.stdout.split_once("Shared by several engines:\n").expect("both parts").1.to_string()
    };
    assert_eq!(
        plan("std/safe-iterator"),
        "SafeIterator: shards by i\n  create, next: to the shard of their i\n  \
         update: to the shards that know their c, learnt from create\n"
    );
    assert!(plan("std/taint").starts_with("Taint: one shard, because any event may concern"));
    dir.write("p.ww", "event a(x)\nproperty P { start state S { on a(_) -> B } bad state B }\n");
    assert_eq!(plan("p.ww"), "P: one shard, because it has no parameters\n");
}

#[test]
fn a_job_has_properties_options_and_library_inside() {
    let dir = Dir::new();
    let mut runtime = ZipWriter::new();
    runtime.add("watchword/flink/Job.class", b"code", false).unwrap();
    std::fs::create_dir(dir.path().join("rt")).unwrap();
    dir.write("rt/watchword-flink.jar", runtime.finish().unwrap());
    let given = ["flink", "-p", "std/reply", "--source", "files:/a", "--source", "files:/b"];
    let more = ["--sink", "files:/c", "--lateness", "2s", "--shards", "4", "--out", "job.jar"];
    let args = [&given[..], &more, &["--runtime", "rt"]].concat();
    let ran = dir.run(&args).expect(2);
    assert!(ran.stderr.contains("libwatchword_flink.so cannot be read"), "{}", ran.stderr);
    assert!(!dir.names().contains(&"job.jar".to_string()), "half a job");

    dir.write("rt/libwatchword_flink.so", "library");
    let ran = dir.run(&args).expect(0);
    assert!(ran.stdout.contains("4 shards:\nReply: shards by id\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("wrote job.jar"), "{}", ran.stdout);
    let json = dir.run(&[&args[..], &["--format", "json"]].concat()).expect(0).json();
    assert_eq!((&json["out"], &json["shards"]), (&"job.jar".into(), &4.into()), "{json}");
    let jar = std::fs::read(dir.path().join("job.jar")).unwrap();
    let jar = Zip::parse(&jar[..]).unwrap();
    let read = |name: &str| jar.read(name).unwrap().expect(name).into_owned();
    assert_eq!(read("watchword/flink/Job.class"), b"code");
    assert_eq!(read("watchword/libwatchword_flink.so"), b"library");
    assert_eq!(
        String::from_utf8(read("watchword/options")).unwrap(),
        "shards=4\nlateness=2000000000\nsource=/a\nsource=/b\nsink=/c\n"
    );
    let bundle = watchword_wire::Bundle::from_bytes(&read("watchword/properties")).unwrap();
    assert_eq!(bundle.model.properties[0].name, "Reply");

    for (wrong, told) in [("/a", "expected files:PATH"), ("files:", "needs a path")] {
        let ran = dir.run(&["flink", "-p", "std/reply", "--source", wrong, "--sink", "files:/c"]);
        assert!(ran.expect(2).stderr.contains(told));
    }
}

//! Certificates as text: written on request, read back, and checked again without looking for them.
//!
//! A file has, for every method with silenced sites, the sites and the pairs of monitor states found
//! for every slice; methods are looked at in rounds, each for the program that the one before leaves. What is read is never trusted: [`Proof::local`] makes sure that it is about the
//! method, and [`crate::check`] that it proves what it says.
//!
//! ```
//! use watchword_residual::proof::{parse, Proofs};
//!
//! let text = "property\tSafe\nmethod\tapp.Main\tlocal\t()I\t0\nsite\t12\tupdate\n\
//!             slice\t0\t-,0\nat\t3\tOI\t1\t0\n";
//! let proofs: Proofs = parse(text)?;
//! let proof = proofs.find("Safe", ["app.Main", "local", "()I"], 0).unwrap();
//! assert_eq!(proof.to_text(), text.split_once('\n').unwrap().1);
//! # Ok::<(), String>(())
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::body::Body;
use crate::certify::{Certificate, Filled, Life, Lives, Point};
use crate::flow::Flow;
use crate::machine::{MAX_PARAMS, Machines};
use crate::tiers::t2_methods::Local;

/// What proves that sites of one method may be silenced.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// Class with dots, method, descriptor.
    pub method: [String; 3],
    /// In which round it was found.
    pub round: usize,
    /// Offset and event of the silenced sites.
    pub sites: Vec<(u32, String)>,
    /// By slice: the pairs.
    pub certificates: Vec<Certificate>,
}

/// The proofs of a file, by property and method.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    all: HashMap<Key, Proof>,
}

/// Property, method, round.
type Key = (String, [String; 3], usize);

const LIVES: [(char, Life); 4] =
    [('U', Life::Unborn), ('I', Life::Inside), ('O', Life::Outside), ('D', Life::Dead)];

impl Proof {
    /// The lines of a file about this method.
    pub fn to_text(&self) -> String {
        let [class, method, descriptor] = &self.method;
        let mut out = format!("method\t{class}\t{method}\t{descriptor}\t{}\n", self.round);
        for (offset, event) in &self.sites {
            let _ = writeln!(out, "site\t{offset}\t{event}");
        }
        for certificate in &self.certificates {
            let filled: Vec<String> = certificate
                .filled
                .iter()
                .map(|filled| match filled {
                    Filled::Outside => "-".to_owned(),
                    Filled::Origin(origin) => origin.to_string(),
                })
                .collect();
            let _ = writeln!(out, "slice\t{}\t{}", certificate.machine, filled.join(","));
            let mut points: Vec<&Point> = certificate.points.iter().collect();
            points.sort_unstable();
            for Point { node, lives, full, residual } in points {
                let lives: String = lives.iter().map(|life| letter(*life)).collect();
                let _ = writeln!(out, "at\t{node}\t{lives}\t{full}\t{residual}");
            }
        }
        out
    }

    /// The proof as if it had just been found, for sites that are numbered `number`; find mistakes
    /// in it, if it is not about this method and these machines.
    pub fn local(
        &self,
        body: &Body,
        flow: &Flow,
        machines: &Machines,
        number: &dyn Fn(u32, &str) -> Option<u32>,
    ) -> Result<Local, String> {
        let mut local = Local::default();
        for (offset, event) in &self.sites {
            let site = number(*offset, event);
            let site = site.ok_or_else(|| format!("there is no site of `{event}` at {offset}"))?;
            local.silenced.insert(site);
        }
        for certificate in &self.certificates {
            let machine = machines.machines.get(certificate.machine);
            let machine = machine.ok_or("there is no such machine")?;
            let known = |filled: &Filled| match filled {
                Filled::Outside => true,
                Filled::Origin(origin) => *origin < flow.origins.len(),
            };
            let params = machines.params.len();
            if certificate.filled.len() != params || !certificate.filled.iter().all(known) {
                return Err("there is no such slice".to_owned());
            }
            let fits = |point: &Point| {
                (point.node as usize) < body.nodes.len()
                    && point.lives.len() == params
                    && point.full.max(point.residual) < machine.len() as u32
            };
            if !certificate.points.iter().all(fits) {
                return Err("there is no such pair of states".to_owned());
            }
            local.certificates.push(certificate.clone());
        }
        Ok(local)
    }
}

fn letter(life: Life) -> char {
    LIVES.iter().find(|(_, one)| *one == life).map_or('?', |(letter, _)| *letter)
}

impl Proofs {
    /// What was found in a round about a method: class, name and descriptor.
    pub fn find(&self, property: &str, method: [&str; 3], round: usize) -> Option<&Proof> {
        self.all.get(&(property.to_owned(), method.map(str::to_owned), round))
    }

    /// All of them: property and proof.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Proof)> {
        self.all.iter().map(|((property, ..), proof)| (property.as_str(), proof))
    }
}

/// Reads the text of a file; says which line is wrong.
pub fn parse(text: &str) -> Result<Proofs, String> {
    let mut proofs = Proofs::default();
    let mut property = None;
    let mut proof: Option<Proof> = None;
    let mut seen: HashSet<Key> = HashSet::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |why: &str| format!("line {}: {why}", index + 1);
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            _ if line.is_empty() || line.starts_with('#') => {}
            ["property", name] => {
                proofs.keep(&property, proof.take());
                property = Some(name.to_owned());
            }
            ["method", class, method, descriptor, round] => {
                proofs.keep(&property, proof.take());
                let round = round.parse().map_err(|_| wrong("the round is no number"))?;
                let method = [class, method, descriptor].map(str::to_owned);
                let name = property.clone().ok_or_else(|| wrong("no property yet"))?;
                if !seen.insert((name, method.clone(), round)) {
                    return Err(wrong("this method was there before"));
                }
                proof = Some(Proof { method, round, ..Proof::default() });
            }
            ["site", offset, event] => {
                let offset = offset.parse().map_err(|_| wrong("the offset is no number"))?;
                let proof = proof.as_mut().ok_or_else(|| wrong("no method yet"))?;
                proof.sites.push((offset, event.to_owned()));
            }
            ["slice", machine, filled] => {
                let machine = machine.parse().map_err(|_| wrong("the machine is no number"))?;
                let filled = filled.split(',').map(|word| match word {
                    "-" => Some(Filled::Outside),
                    word => word.parse().ok().map(Filled::Origin),
                });
                let filled: Option<Vec<Filled>> = filled.collect();
                let filled = filled.ok_or_else(|| wrong("an object is `-` or a number"))?;
                let proof = proof.as_mut().ok_or_else(|| wrong("no method yet"))?;
                let points = Default::default();
                proof.certificates.push(Certificate { machine, filled, points });
            }
            ["at", node, lives, full, residual] => {
                let number = |text: &str| text.parse().map_err(|_| wrong("that is no number"));
                let [node, full, residual] = [number(node)?, number(full)?, number(residual)?];
                let known = |letter: char| LIVES.iter().find(|l| l.0 == letter).map(|l| l.1);
                let lives: Option<Lives> = match lives.chars().count() <= MAX_PARAMS {
                    true => lives.chars().map(known).collect::<Option<Vec<_>>>(),
                    false => None,
                }
                .map(|lives| lives.into_iter().collect());
                let lives = lives.ok_or_else(|| wrong("lives are written U, I, O or D"))?;
                let certificate = proof.as_mut().and_then(|proof| proof.certificates.last_mut());
                let certificate = certificate.ok_or_else(|| wrong("no slice yet"))?;
                certificate.points.insert(Point { node, lives, full, residual });
            }
            _ => return Err(wrong("not a line of a file of certificates")),
        }
    }
    proofs.keep(&property, proof);
    Ok(proofs)
}

impl Proofs {
    fn keep(&mut self, property: &Option<String>, proof: Option<Proof>) {
        if let (Some(property), Some(proof)) = (property, proof) {
            self.all.insert((property.clone(), proof.method.clone(), proof.round), proof);
        }
    }
}

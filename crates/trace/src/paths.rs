//! The fields of records that properties read, as a tree of keys.

use crate::error::{Fault, Flaw};
use crate::json::{Cursor, Keys};
use crate::record::{Raw, Record, Slot, Text};

/// A field by path: a position in [`Record::fields`].
pub type PathId = usize;

/// A node of the tree.
pub type NodeId = usize;

/// All paths.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    nodes: Vec<Node>,
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Node {
    children: Vec<(Box<str>, NodeId)>,
    path: Option<PathId>,
}

impl Paths {
    /// No paths.
    pub fn new() -> Paths {
        Paths { nodes: vec![Node::default()], count: 0 }
    }

    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no property reads a field.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The field at that path; the same path has the same id.
    pub fn add<S: AsRef<str>>(&mut self, path: &[S]) -> PathId {
        let mut node = 0;
        for key in path {
            node = match self.child(node, key.as_ref()) {
                Some(child) => child,
                None => {
                    let child = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[node].children.push((key.as_ref().into(), child));
                    child
                }
            };
        }
        *self.nodes[node].path.get_or_insert_with(|| {
            self.count += 1;
            self.count - 1
        })
    }

    /// The field at that path, if a property reads it.
    pub fn find<S: AsRef<str>>(&self, path: &[S]) -> Option<PathId> {
        let node = path.iter().try_fold(0, |node, key| self.child(node, key.as_ref()))?;
        self.nodes[node].path
    }

    /// The fields of records themselves that are asked for, not those further in.
    pub fn tops(&self) -> impl Iterator<Item = (&str, PathId)> {
        let tops = self.nodes[0].children.iter();
        tops.filter_map(|(key, node)| Some((&**key, self.nodes[*node].path?)))
    }

    /// What a field is called, with dots between levels.
    pub fn name_of(&self, path: PathId) -> String {
        self.name_below(0, path).unwrap_or_default()
    }

    fn name_below(&self, node: NodeId, path: PathId) -> Option<String> {
        self.nodes[node].children.iter().find_map(|(key, child)| {
            if self.nodes[*child].path == Some(path) {
                return Some(key.to_string());
            }
            Some(format!("{key}.{}", self.name_below(*child, path)?))
        })
    }

    /// The node below the root for a key of the record itself.
    #[inline]
    pub fn top(&self, key: &str) -> Option<NodeId> {
        self.child(0, key)
    }

    #[inline]
    fn child(&self, node: NodeId, key: &str) -> Option<NodeId> {
        self.nodes[node].children.iter().find(|(k, _)| **k == *key).map(|(_, child)| *child)
    }

    /// Reads the value at the cursor into the fields below `node`.
    pub fn capture(
        &self,
        node: NodeId,
        cursor: &mut Cursor<'_>,
        record: &mut Record,
    ) -> Result<(), Box<Flaw>> {
        let Node { children, path } = &self.nodes[node];
        cursor.peek();
        let start = cursor.at;
        if let Some(path) = *path {
            let raw = cursor.value(record)?;
            if !matches!(record.fields[path].raw, Raw::Missing) {
                return Err(Flaw::new(Fault::Duplicate, start, "this field occurs twice"));
            }
            record.fields[path] = Slot::new(raw, start);
            if children.is_empty() {
                return Ok(());
            }
            cursor.at = start;
        }
        if cursor.peek() == b'"' {
            let text = cursor.string(record)?;
            self.capture_inside(node, text, start, cursor.line(), record);
            return Ok(());
        }
        if !cursor.take(b'{') {
            return cursor.skip();
        }
        if cursor.take(b'}') {
            return Ok(());
        }
        let mut keys = Keys::default();
        loop {
            let key = cursor.key(record)?;
            let key = record.text(cursor.line(), key);
            keys.add(key);
            match self.child(node, key) {
                Some(child) => self.capture(child, cursor, record)?,
                None => cursor.skip()?,
            }
            if !cursor.more(b'}')? {
                return cursor.expect_once(keys, start);
            }
        }
    }

    /// Reads a text that is a JSON object into the fields below `node`: programs put records into
    /// fields of other records. A text that is anything else has no fields.
    #[cold]
    fn capture_inside(&self, node: NodeId, text: Text, at: usize, line: &str, record: &mut Record) {
        let text = record.text(line, text).trim();
        if !text.starts_with('{') {
            return;
        }
        let text = text.to_string();
        let mut cursor = Cursor::new(&text);
        let mut inside = Record::new(record.fields.len());
        // The node itself has been read: only what is below it is looked for.
        let below = Paths::below(self, node);
        if below.capture(0, &mut cursor, &mut inside).is_err() || cursor.expect_end().is_err() {
            return;
        }
        for (path, slot) in inside.fields.iter().enumerate() {
            if matches!(slot.raw, Raw::Missing) || !matches!(record.fields[path].raw, Raw::Missing)
            {
                continue;
            }
            let raw = match slot.raw {
                Raw::Str(t) => record.decoded(inside.text(&text, t)),
                Raw::Other(i) => record.keep(inside.values[i as usize].clone()),
                Raw::Ref(id, ..) => Raw::Ref(id, None, None),
                raw => raw,
            };
            record.fields[path] = Slot::new(raw, at);
        }
    }

    /// The tree below a node, with the same fields.
    fn below(&self, node: NodeId) -> Paths {
        let mut nodes = self.nodes.clone();
        nodes[0] = Node { path: None, ..nodes[node].clone() };
        Paths { nodes, count: self.count }
    }
}

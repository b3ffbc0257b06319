// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ways from sources to sinks, and the route of a session: the union of one way for each pair.

use std::collections::VecDeque;
use std::fmt;

use super::{Index, Link, Topology};

/// The most unfinished paths that a search keeps.
const MOST_PATHS: usize = 4096;

/// Which sources are to reach which sinks.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Sources.
    pub sources: Vec<Index>,
    /// Sinks.
    pub sinks: Vec<Index>,
    /// Components that every path must pass, to choose between several.
    pub via: Vec<Index>,
}

/// A component on a route, with the ports that trace uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The component.
    pub component: Index,
    /// Inputs with wanted trace.
    pub inputs: Vec<usize>,
    /// Outputs with wanted trace.
    pub outputs: Vec<usize>,
}

/// Components on the way of a session, sinks first: everything below a component is before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The components.
    pub hops: Vec<Hop>,
    /// The links between them.
    pub links: Vec<Link>,
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathError {
    /// No way leads from the source to the sink.
    None(String, String),
    /// Several ways are equally short.
    Several(String, String, Vec<String>),
    /// There are too many ways to try them all.
    TooMany(String, String),
    /// No source or no sink is asked for.
    Nothing,
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None(from, to) => write!(f, "no path leads from {from} to {to}"),
            Self::Several(from, to, paths) => {
                let paths = paths.join("; ");
                write!(f, "several paths lead from {from} to {to}: {paths}")
            }
            Self::TooMany(from, to) => {
                write!(
                    f,
                    "more than {MOST_PATHS} paths begin between {from} and {to}"
                )
            }
            Self::Nothing => f.write_str("no source or no sink is asked for"),
        }
    }
}

impl std::error::Error for PathError {}

impl Topology {
    /// The route of a session.
    ///
    /// # Errors
    /// If a source does not reach a sink, or by several ways that are equally short.
    pub fn route(&self, wanted: &Wanted) -> Result<Route, PathError> {
        let mut links: Vec<Link> = Vec::new();
        if wanted.sources.is_empty() || wanted.sinks.is_empty() {
            return Err(PathError::Nothing);
        }
        for &source in &wanted.sources {
            for &sink in &wanted.sinks {
                for link in self.path(source, sink, &wanted.via)? {
                    if !links.contains(&link) {
                        links.push(link);
                    }
                }
            }
        }
        Ok(Route {
            hops: self.hops(&links),
            links,
        })
    }

    /// The shortest path.
    fn path(&self, source: Index, sink: Index, via: &[Index]) -> Result<Vec<Link>, PathError> {
        let name = |index: Index| self.components[index].name.clone();
        let mut found: Vec<Vec<Link>> = Vec::new();
        let mut open = VecDeque::from([(source, Vec::<Link>::new())]);
        while let Some((at, path)) = open.pop_front() {
            if found.first().is_some_and(|first| path.len() > first.len()) {
                break;
            }
            if open.len() > MOST_PATHS {
                return Err(PathError::TooMany(name(source), name(sink)));
            }
            if at == sink {
                let passes = |via: &Index| path.iter().any(|link| link.to.0 == *via);
                if via.iter().all(passes) {
                    found.push(path);
                }
                continue;
            }
            for link in self.outputs(at) {
                let mut longer = path.clone();
                longer.push(*link);
                open.push_back((link.to.0, longer));
            }
        }
        match found.len() {
            0 => Err(PathError::None(name(source), name(sink))),
            1 => Ok(found.remove(0)),
            _ => {
                let text = |path: &Vec<Link>| {
                    let names: Vec<String> = path.iter().map(|link| name(link.to.0)).collect();
                    names.join(" ")
                };
                let paths = found.iter().map(text).collect();
                Err(PathError::Several(name(source), name(sink), paths))
            }
        }
    }

    /// The components of links, sinks first. Among those that may come next, the first of the topology is.
    fn hops(&self, links: &[Link]) -> Vec<Hop> {
        let is_on = |index: &Index| {
            links
                .iter()
                .any(|link| link.from.0 == *index || link.to.0 == *index)
        };
        let mut left: Vec<Index> = (0..self.components.len()).filter(is_on).collect();
        let mut hops = Vec::new();
        while !left.is_empty() {
            let feeds_none = |index: &Index| {
                let mut fed = links.iter().filter(|link| link.from.0 == *index);
                fed.all(|link| !left.contains(&link.to.0))
            };
            // Links have no circle, so there is one.
            let Some(place) = left.iter().position(feeds_none) else {
                break;
            };
            let component = left.remove(place);
            let to = links.iter().filter(|link| link.to.0 == component);
            let from = links.iter().filter(|link| link.from.0 == component);
            hops.push(Hop {
                component,
                inputs: to.map(|link| link.to.1).collect(),
                outputs: from.map(|link| link.from.1).collect(),
            });
        }
        hops
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_coresight::map::{ComponentKind, Mark};

    /// A source, diamonds of a replicator and a funnel, and a sink.
    fn diamonds(count: usize) -> Topology {
        let mut kinds = vec![ComponentKind::Etm4];
        let mut links = Vec::new();
        let mut link = |from, to| links.push(Link { from, to });
        for _ in 0..count {
            let (last, replicator, funnel) = (kinds.len() - 1, kinds.len(), kinds.len() + 1);
            kinds.extend([ComponentKind::Replicator, ComponentKind::Funnel]);
            link((last, 0), (replicator, 0));
            link((replicator, 0), (funnel, 0));
            link((replicator, 1), (funnel, 1));
        }
        kinds.push(ComponentKind::Tpiu);
        link((kinds.len() - 2, 0), (kinds.len() - 1, 0));
        let component = |(index, kind): (usize, ComponentKind)| super::super::Component {
            name: format!("c{index}"),
            kind,
            base: 0x1000 * index as u64,
            clocks: vec![],
            cpu: None,
            mark: Mark::I,
        };
        Topology {
            name: "diamonds".to_owned(),
            status: "not run".to_owned(),
            rom: None,
            components: kinds.into_iter().enumerate().map(component).collect(),
            links,
            clocks: vec![],
            receivers: vec![],
        }
    }

    #[test]
    fn paths_that_are_equally_short_are_listed_or_too_many() {
        let route = |count: usize| {
            let (sources, sinks) = (vec![0], vec![2 * count + 1]);
            diamonds(count).route(&Wanted {
                sources,
                sinks,
                via: vec![],
            })
        };
        assert_eq!(route(0).map(|route| route.links.len()), Ok(1));
        let several = route(1).expect_err("two paths").to_string();
        assert_eq!(
            several,
            "several paths lead from c0 to c3: c1 c2 c3; c1 c2 c3"
        );
        assert!(matches!(route(100), Err(PathError::TooMany(..))));
    }
}

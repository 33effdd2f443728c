//! How several engines could share the instances of properties, as JSON.

use watchword_plan::{Keyed, Plan, Routing, Way};

use super::json::Json;

/// By root context, as [`Plan::explain_routing`] says it in words.
pub fn to_json(plan: &Plan) -> Json {
    let one = |(shape, routing): (usize, Routing)| {
        let properties = plan.properties_of(shape);
        let names = properties.iter().map(|p| &*plan.model.properties[p.index()].name);
        let entry = Json::object([("properties", Json::List(names.map(Json::from).collect()))]);
        match routing {
            Routing::Whole(why) => entry.with("whole", why),
            Routing::Keyed(keyed) => {
                let events = events(plan, shape, &keyed);
                entry.with("key", &*keyed.name).with("events", events)
            }
        }
    };
    Json::List(plan.routings().into_iter().enumerate().map(one).collect())
}

fn events(plan: &Plan, shape: usize, keyed: &Keyed) -> Json {
    let params = plan.model.params(plan.shapes[shape].0);
    let name = |child: u32| {
        params.iter().find(|(id, _)| id.0 == child).map_or("", |(_, param)| &*param.name)
    };
    let observed = plan.model.events.iter().zip(&keyed.ways);
    let told = observed.filter_map(|(event, way)| {
        let entry = Json::object([("event", Json::from(&*event.name))]);
        Some(match (*way)? {
            Way::Arg(_) => entry.with("to", "key"),
            Way::Learnt { child, .. } => entry.with("to", "learnt").with("by", name(child)),
            Way::Everywhere => entry.with("to", "all"),
        })
    });
    Json::List(told.collect())
}

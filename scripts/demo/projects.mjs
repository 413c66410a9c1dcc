/** The invented projects that the stories work in. */
export const SHOP = { cwd: "/home/dev/code/lantern-shop", repository: "lantern-example/lantern-shop" };
export const TIDES = { cwd: "/home/dev/data/tide_pipeline", repository: "harbour-example/tide-pipeline" };
export const PEBBLE = { cwd: "/home/dev/src/pebble.rs", repository: "pebble-example/pebble.rs" };

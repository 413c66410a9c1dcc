import { render } from "preact";
import { App } from "./app.js";
import { startRouter } from "./router.js";

startRouter();
const place = document.getElementById("app");
if (place) render(<App />, place);

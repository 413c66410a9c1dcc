import { followContents } from "./contents-panel.js";
import { startFilters } from "./filters.js";
import { startFolds } from "./folds.js";
import { startKeys } from "./keys.js";
import { followLinks } from "./links.js";
import { startSearch } from "./search.js";
import { startTheme } from "./theme.js";

document.documentElement.classList.add("js");
startTheme();
const folds = startFolds();
const search = startSearch();
startFilters();
followContents();
followLinks();
startKeys({ folds, search });

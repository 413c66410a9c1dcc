import { startFilters } from "./filters.js";
import { startFolds, startKeys } from "./keys.js";
import { followContents, followLinks } from "./navigation.js";
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

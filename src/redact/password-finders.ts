import type { Finder } from "./finder.js";
import type { Finding } from "./finding.js";
import { isSecretValue } from "./judge-value.js";
import { captureAt } from "./stretch.js";

// "Password" where it is not built from the English word; the Chinese words are too short for an anchor of their own.
const FOREIGN_PASSWORDS = [
  ...["密码", "密碼", "口令", "密钥"].flatMap((word) => ["是", "为", ":", "：", "=", " "].map((sign) => word + sign)),
  ...["contraseña", "mot de passe", "senha", "wachtwoord", "Kennwort", "пароль", "パスワード"],
];

/** Passwords in notations of their own, such as `curl -u user:…`, `mysql -p…`, `IDENTIFIED BY '…'`, 密码是…. */
export const passwordFinders: readonly Finder[] = [
  passwordIn(
    [" -u", "--user", "--proxy-user"],
    / ?(?:-u|--user|--proxy-user)[ =]{0,4}["'\\]*[^\s:"'\\/]{0,64}:["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["sshpass"], /sshpass[ \t]+-p[ \t]*["'\\]*([^\s"'\\]{4,128})/dy),
  passwordIn(
    ["mysql", "mariadb"],
    /(?:mysql|mariadb)[\w-]{0,8}[ \t][^\n|;&]{0,160}?[ \t]-p["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["redis-cli"], /redis-cli[ \t][^\n|;&]{0,160}?(?<=[ \t])-a[ \t]+["'\\]*([^\s"'\\]{4,128})/dy),
  passwordIn(
    ["docker login", "podman login", "helm registry login", "az acr login", "oc login"],
    /[a-z ]{0,20}login[ \t][^\n|;&]{0,160}?(?<=[ \t])-p[ \t=]+["'\\]*([^\s"'\\]{4,128})/dy,
  ),
  passwordIn(["IDENTIFIED BY", "identified by"], /identified by[ \t]+(?:password[ \t]+)?["'\\]+([^\s"'\\]{4,128})/diy),
  passwordIn([":5432:"], /:5432:[\w.*-]{1,64}:[\w.*-]{1,64}:([^\s:"'\\]{4,128})/dy), // .pgpass
  passwordIn(["pass:"], /(?<=[\s"'=])pass:([^\s"'\\]{4,128})/dy), // openssl -passin pass:…
  passwordIn(["auth=(", "BasicAuth("], /\w{4,9}=?\(\s*["'][^"'\n]{0,64}["']\s*,\s*["']([^"'\n]{4,128})["']/dy),
  passwordIn(FOREIGN_PASSWORDS, /[\p{L} ]{2,14}[ \t]*(?:是|为|[:：=])[ \t]*([^\s"'`\\，。、]{4,128})/duy),
];

function passwordIn(anchors: readonly string[], pattern: RegExp): Finder {
  return { anchors, isGuess: true, find: (text, at) => findAt(text, at, pattern) };
}

function findAt(text: string, at: number, pattern: RegExp): readonly Finding[] {
  const password = captureAt(pattern, text, at);
  const isFound = password && isSecretValue(password.text, "password", "tight");
  return isFound ? [{ kind: "password", start: password.start, end: password.end, certain: false }] : [];
}

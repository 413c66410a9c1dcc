import { isSecretValue } from "../judge/judge-value.js";
import { captureAt, type Finder } from "./finding.js";

// The words of other languages for a password, and for a key or a token. Two Chinese characters alone are too short for an anchor.
const PASSWORDS = [
  ...["密码", "密碼", "口令", "密钥", "암호"].flatMap((word) =>
    ["是", "为", "為", ":", "：", "=", " ", "는", "은"].map((sign) => word + sign),
  ),
  ...[
    "contraseña",
    "mot de passe",
    "senha",
    "wachtwoord",
    "kennwort",
    "zugangscode",
    "parola d'ordine",
    "parola",
    "hasło",
  ],
  ...[
    "heslo",
    "lösenord",
    "adgangskode",
    "kodeord",
    "passord",
    "salasana",
    "şifre",
    "parolă",
    "jelszó",
    "lozinka",
    "geslo",
  ],
  ...[
    "пароль",
    "гасло",
    "парола",
    "лозинка",
    "κωδικός",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "패스워드",
    "mật khẩu",
    "kata sandi",
  ],
  ...["पासवर्ड", "รหัสผ่าน", "كلمة المرور", "סיסמה", "clave"],
];
const KEYS = [
  ...[
    "schlüssel",
    "clé api",
    "clé secrète",
    "clef api",
    "jeton",
    "clave de",
    "clave api",
    "clave secreta",
    "chave de api",
  ],
  ...[
    "chave api",
    "chave secreta",
    "chiave api",
    "chiave segreta",
    "klucz api",
    "api-nyckel",
    "api-nøgle",
    "api-sleutel",
  ],
  ...[
    "ключ",
    "токен",
    "секрет",
    "apiキー",
    "シークレット",
    "トークン",
    "api 키",
    "토큰",
    "api密钥",
    "令牌是",
    "令牌:",
    "令牌：",
  ],
];
const LINK =
  "(?:(?<=[是为為:：=는은])[ \\t]*|[\\p{L}\\d]{0,4}(?:[ \\t-](?:de |d'|para |für |von |do |da |del |pour )?[\\p{L}\\d./@-]{1,24}){0,4}?[ \\t]*(?:[:：=]|->|→|—|–|[ \\t]-)|[\\p{L}]{0,3}[ \\t]*(?:は|是|为|為|는|은)[ \\t]*[:：]?|[\\p{L}]{0,3}(?:[ \\t-][\\p{L}\\d./@-]{1,24}){0,4}?[ \\t]+(?:lautet|to|ist|est|es|è|é|är|er|jest|je|is|on|este|είναι|есть)(?:[ \\t]*:)?)[ \\t]*";
const VALUE = "[\"'`“„«「]*([^\\s\"'`\\\\，。、”“»」]{4,128})";

/** "La contraseña es …", "Der API-Schlüssel lautet …", 密码是…. */
export const spokenFinders: readonly Finder[] = [
  spoken(KEYS, "secret", "key"),
  spoken(PASSWORDS, "password", "password"),
];

function spoken(words: readonly string[], kind: string, nameClass: "password" | "key"): Finder {
  const pattern = new RegExp(`(?:${words.join("|")})${LINK}${VALUE}`, "diuy");
  const near = new RegExp(`(?:${words.join("|")})(?:[ \\t]+|(?<=[ ]))${VALUE}[ \\t]*(?=$|[\\n,.])`, "diuy"); // login dana, пароль …
  return {
    anchors: words,
    isGuess: true,
    anyCase: true,
    find(text, at) {
      const linked = captureAt(pattern, text, at);
      const value = linked ?? captureAt(near, text, at);
      const secret = value?.text.replace(/[.,;:!?)\]}]+$/, "") ?? "";
      const isFound =
        value &&
        isSecretValue(secret, nameClass, "said") &&
        (linked || /[A-Za-z]{3}.*\d\d|\d.*[A-Za-z]{3}/.test(secret));
      return isFound ? [{ kind, start: value.start, end: value.start + secret.length, certain: false }] : [];
    },
  };
}

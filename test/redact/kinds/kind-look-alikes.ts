import type { NamedKind } from "../../../src/redact/kinds/named-kinds.js";
import type { SecretKind } from "../../../src/redact/kinds/secret-kind.js";

/** What stands where a secret of a marked kind would, in documentation, code and tests, and is none. */
export function likeMarked({ prefixes, head }: SecretKind): string[] {
  const prefix = prefixes[0] ?? "";
  const before = head ? "x" : "";
  return [
    `It begins with ${before}${prefix} and must be kept private.`,
    `${before}${prefix}${"x".repeat(36)}`,
    `TOKEN=${before}${prefix}...`,
    `const pattern = /${prefix}[A-Za-z0-9]{36}/;`,
    `value.startsWith("${prefix}")`,
    `${before}${prefix}your-token-goes-here`,
    `VALUE=${before}${prefix}<token>`,
  ];
}

/** The same for a kind that its name gives away. `name` is one that the kind has. */
export function likeNamed(_: NamedKind, name: string): string[] {
  const camel = name.toLowerCase().replace(/_+(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return [
    `${name}=`,
    `${name}=\${${name}}`,
    `${name}=your_${name.toLowerCase()}_here`,
    `${name}=<your ${name.toLowerCase().replaceAll("_", " ")}>`,
    `${name}=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`,
    `const ${camel} = process.env.${name};`,
    `${camel}: string;`,
    `${camel}: config.${camel},`,
    `${name}: \${{ secrets.${name} }}`,
    `${name} = os.environ["${name}"]`,
    `The variable ${name} is required and must be set.`,
  ];
}

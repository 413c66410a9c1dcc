import type { Finder } from "./finder.js";
import { isStandIn } from "./is-stand-in.js";
import { captureAt } from "./stretch.js";
import { wordiness } from "./wordiness.js";

/** The signature of an address that opens without a password: Azure's `sig`, AWS' and Google's `X-…-Signature`. */
export const findSignedUrl: Finder = {
  anchors: ["sig=", "Signature="],
  find(text, at) {
    const isParameter = /(?:[?&;,]|u0026|, |X-(?:Amz|Goog)-)$/.test(text.slice(Math.max(0, at - 8), at));
    const signature = isParameter ? captureAt(SIGNATURE, text, at) : undefined;
    const isReal = signature && wordiness(signature.text) < 0.5 && !isStandIn(signature.text);
    return isReal ? [{ kind: "signed-url", start: signature.start, end: signature.end, certain: true }] : [];
  },
};

const SIGNATURE = /(?:sig|Signature)=([A-Za-z0-9%+/_~-]{30,}={0,2})/dy;

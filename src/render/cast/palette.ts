const BACKGROUND = 0x16181d;
const BAR = 0x23262d;

/** Colours of a recording as a video, each with the ground that it is painted on. */
const INKS = {
  plain: { colour: 0xc9cdd6, ground: BACKGROUND },
  bright: { colour: 0xffffff, ground: BACKGROUND },
  faint: { colour: 0x7c828e, ground: BACKGROUND },
  red: { colour: 0xf2777a, ground: BACKGROUND },
  green: { colour: 0x7fc97f, ground: BACKGROUND },
  yellow: { colour: 0xe0b15a, ground: BACKGROUND },
  blue: { colour: 0x7aa2f7, ground: BACKGROUND },
  magenta: { colour: 0xc99bdb, ground: BACKGROUND },
  cyan: { colour: 0x62bfd0, ground: BACKGROUND },
  barTitle: { colour: 0x9aa0ab, ground: BAR },
  barRed: { colour: 0xf2777a, ground: BAR },
  barYellow: { colour: 0xe0b15a, ground: BAR },
  barGreen: { colour: 0x7fc97f, ground: BAR },
} as const;

export type Ink = keyof typeof INKS;

/** Steps from the ground to an ink, so that the edges of letters are smooth; 256 colours in all. */
const SHADES = 19;

/** Each colour once: ffmpeg (5.1) loses pixels of a GIF whose palette holds one twice. */
const colours: number[] = [];
const shades = new Map(Object.keys(INKS).map((ink) => [ink, toShades(INKS[ink as Ink])]));

function toShades({ colour, ground }: (typeof INKS)[Ink]): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, coverage) => {
    const step = Math.round((coverage * (SHADES - 1)) / 255);
    return placeOf(mix(ground, colour, step / (SHADES - 1)));
  });
}

function placeOf(colour: number): number {
  const known = colours.indexOf(colour);
  return known >= 0 ? known : colours.push(colour) - 1;
}

function mix(from: number, to: number, share: number): number {
  return [0, 8, 16].reduce((mixed, bits) => {
    const [low, high] = [(from >> bits) & 0xff, (to >> bits) & 0xff];
    return mixed | (Math.round(low + (high - low) * share) << bits);
  }, 0);
}

/** For each coverage from 0 to 255 the number of its colour. */
export function shadesOf(ink: Ink): Uint8Array {
  return shades.get(ink) ?? new Uint8Array(256);
}

/** As encoders want it: blue, green, red and opacity of 256 colours. */
export function paletteBytes(): Uint8Array {
  const bytes = new Uint8Array(256 * 4).fill(0xff);
  colours.forEach((colour, place) => {
    bytes.set([colour & 0xff, (colour >> 8) & 0xff, colour >> 16], place * 4);
  });
  return bytes;
}

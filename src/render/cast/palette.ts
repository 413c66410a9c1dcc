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
  cyan: { colour: 0x62bfd0, ground: BACKGROUND },
  barTitle: { colour: 0x9aa0ab, ground: BAR },
  barRed: { colour: 0xf2777a, ground: BAR },
  barYellow: { colour: 0xe0b15a, ground: BAR },
  barGreen: { colour: 0x7fc97f, ground: BAR },
} as const;

export type Ink = keyof typeof INKS;

/** Steps from the ground to an ink, so that the edges of letters are smooth; 256 colours in all. */
const SHADES = 23;

const places = new Map(Object.keys(INKS).map((ink, index) => [ink, index * SHADES]));

/** The number of a colour; `coverage` is 0 to 255. */
export function shadeOf(ink: Ink, coverage: number): number {
  return (places.get(ink) ?? 0) + Math.round((coverage * (SHADES - 1)) / 255);
}

/** As encoders want it: blue, green, red and opacity of 256 colours. */
export function paletteBytes(): Uint8Array {
  const bytes = new Uint8Array(256 * 4).fill(0xff);
  Object.values(INKS).forEach(({ colour, ground }, group) => {
    for (let shade = 0; shade < SHADES; shade += 1) {
      const share = shade / (SHADES - 1);
      const mixed = [0, 8, 16].map((bits) => mix((ground >> bits) & 0xff, (colour >> bits) & 0xff, share));
      bytes.set(mixed, (group * SHADES + shade) * 4);
    }
  });
  return bytes;
}

function mix(from: number, to: number, share: number): number {
  return Math.round(from + (to - from) * share);
}

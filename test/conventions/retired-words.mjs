/**
 * Words that the code base does not use, each with the word that it uses instead. ESLint checks them in TypeScript
 * (`eslint-rules.mjs`), `words.spec.ts` in everything else that is written by hand.
 */

/** Private words for things that the field has a name for. `allow` matches the ordinary uses of a word. */
const RETIRED_IN_TEXT = [
  { word: /\bpromis(?:e|es|ed|ing)\b/g, use: 'reservation' },
  { word: /\bplaces?\b/gi, allow: /\bin(?: [\w{}`-]+){0,3} places?\b|\b(?:takes?|took|taking) (?:the )?place\b|\bdecimal places?\b/gi, use: 'slot, lease, or what is meant' },
  { word: /\brooms?\b/gi, allow: /\broom (?:for|to|under)\b/gi, use: 'module' },
  { word: /\bhouses?\b/gi, allow: /\bin-house\b/gi, use: 'application' },
  { word: /\bdoors?\b/gi, allow: /\bOpen Door\b/g, use: 'endpoint' },
  { word: /\bpatien(?:ce|t)\b/gi, use: 'timeout' },
  { word: /\bknock(?:s|ed|ing)?\b/gi, use: 'call' },
  { word: /\bbooks\b/gi, use: 'ledger' },
  { word: /\bchores?\b/gi, use: 'task' },
  { word: /\b(?:is|are|was|were|be|been|being|stays?|database) away\b/gi, use: 'unreachable' },
  { word: /\bformer(?:ly)?\b/gi, use: 'previous' },
];

/** Words of identifiers, after splitting `camelCase` and `snake_case` into lower-case words. */
const RETIRED_IN_NAMES = [
  { word: /^(?:promised|unpromised|promises)$/, use: 'reserved, reservation' },
  { word: /^places?$/, use: 'slot, lease, position' },
  { word: /^rooms?$/, use: 'module' },
  { word: /^houses?$/, use: 'application' },
  { word: /^doors?$/, use: 'endpoint, access' },
  { word: /^patien(?:ce|t)$/, use: 'timeout' },
  { word: /^knock(?:s|ed)?$/, use: 'call' },
  { word: /^books$/, use: 'ledger' },
  { word: /^chores?$/, use: 'task' },
  { word: /^former$/, use: 'previous' },
];

/** Whole identifiers. */
const RETIRED_NAMES = [
  { word: /^needsNoPromise$/, use: 'canSkipReservation' },
  { word: /^(?:told|kept|doomed)$/, use: 'a noun' },
  { word: /^MOST_?|^(?:LONGEST|LATEST|LARGEST)(?:_|$)/, use: 'MAX_' },
  { word: /^LEAST_?|^(?:OLDEST|SHORTEST|SMALLEST)(?:_|$)/, use: 'MIN_ or MAX_' },
  { word: /^(?:LOOK|KNOCK)(?:_|$)/, use: 'INTERVAL' },
  { word: /^FRESH(?:_|$)/, use: 'TTL' },
];

/** British stems and their American spelling; endings such as -s, -d and -ing follow. */
const BRITISH = {
  catalogue: 'catalog', licence: 'license', behaviour: 'behavior', neighbour: 'neighbor', honour: 'honor', colour: 'color', favour: 'favor', flavour: 'flavor', labour: 'labor',
  humour: 'humor', rumour: 'rumor', harbour: 'harbor', odour: 'odor', endeavour: 'endeavor', centre: 'center', theatre: 'theater', metre: 'meter', litre: 'liter', fibre: 'fiber',
  defence: 'defense', offence: 'offense', pretence: 'pretense', practise: 'practice', analyse: 'analyze', paralyse: 'paralyze', organis: 'organiz', recognis: 'recogniz',
  realis: 'realiz', optimis: 'optimiz', minimis: 'minimiz', maximis: 'maximiz', normalis: 'normaliz', serialis: 'serializ', summaris: 'summariz', authoris: 'authoriz',
  initialis: 'initializ', prioritis: 'prioritiz', synchronis: 'synchroniz', utilis: 'utiliz', emphasis: 'emphasiz', apologis: 'apologiz', categoris: 'categoriz',
  customis: 'customiz', standardis: 'standardiz', finalis: 'finaliz', visualis: 'visualiz', tokenis: 'tokeniz', capitalis: 'capitaliz', randomis: 'randomiz', generalis: 'generaliz',
  cancelled: 'canceled', cancelling: 'canceling', modelled: 'modeled', modelling: 'modeling', labelled: 'labeled', labelling: 'labeling', travelled: 'traveled', travelling: 'traveling',
  signalled: 'signaled', signalling: 'signaling', totalled: 'totaled', levelled: 'leveled', fuelled: 'fueled', grey: 'gray', cheque: 'check', programme: 'program', analogue: 'analog',
  artefact: 'artifact', sceptical: 'skeptical', whilst: 'while', amongst: 'among', learnt: 'learned', spelt: 'spelled', burnt: 'burned', fulfil: 'fulfill', skilful: 'skillful',
  enquir: 'inquir', storey: 'story', judgement: 'judgment', ageing: 'aging', mould: 'mold', plough: 'plow',
};
const BRITISH_IN_WORD = new RegExp(`^(?:un|re|mis|dis)?(${Object.keys(BRITISH).join('|')})(?:e?[sd]|r?s|ed|e|er|ers|ing|able|ation|ations|ful|s|al|ally|ment|y|ies)?$`, 'i');
/** Spelled alike on both sides. */
const NOT_BRITISH = /^(?:analyses|emphasis|minimis|fulfill\w*|programmed|programmer|programmers|programming)$/i;

const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

/** Complaints about a comment, a sentence or a string, one for each retired word. Code in backticks is left to the rule about names. */
export function retiredInText(text) {
  const prose = text.replace(CODE, '``');
  const complaints = RETIRED_IN_TEXT.flatMap(({ word, allow, use }) => complaintsAbout(allow === undefined ? prose : prose.replace(allow, ''), word, use));
  return [...complaints, ...(prose.match(/[A-Za-z]+/g) ?? []).flatMap(wordsOf).flatMap(british)];
}

/** Complaints about an identifier, one for each retired word. */
export function retiredInName(name) {
  const words = wordsOf(name);
  return [
    ...RETIRED_NAMES.filter(({ word }) => word.test(name)).map(({ use }) => `"${name}": use ${use}`),
    ...words.flatMap((word) => RETIRED_IN_NAMES.filter((retired) => retired.word.test(word)).map(({ use }) => `"${word}" in "${name}": use ${use}`)),
    ...words.flatMap(british),
  ];
}

function complaintsAbout(text, word, use) {
  return (text.match(word) ?? []).map((found) => `"${found}": use ${use}`);
}

function british(word) {
  const stem = NOT_BRITISH.test(word) ? undefined : BRITISH_IN_WORD.exec(word)?.[1]?.toLowerCase();
  return stem === undefined ? [] : [`"${word}": use the American spelling (${BRITISH[stem]}…)`];
}

/** The words of an identifier in lower case: `needsNoPromise` is three, `MAX_PLACES` two. */
function wordsOf(name) {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').split(/[^A-Za-z]+/).filter((word) => word !== '').map((word) => word.toLowerCase());
}

// node test/openapi-tools/spectral.cjs FILE: prints, as JSON, what the recommended rules of Spectral's `oas` find in an
// API document.
const { readFileSync } = require('node:fs');
const { Document, Spectral } = require('@stoplight/spectral-core');
const { Json } = require('@stoplight/spectral-parsers');
const { oas } = require('@stoplight/spectral-rulesets');

async function main([file]) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const found = await spectral.run(new Document(readFileSync(file, 'utf8'), Json, file));
  process.stdout.write(
    JSON.stringify(found.map(({ code, path, message }) => `${path.join('.')}: ${message} (${code})`)),
  );
}

void main(process.argv.slice(2));

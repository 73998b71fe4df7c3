import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Package {
  folder: string;
  license: string | undefined;
  isShipped: boolean;
}
const { licenseProblems, isAllowed } = createRequire(__filename)(join(__dirname, 'licenses.cjs')) as {
  licenseProblems: (packages: Package[]) => string[];
  isAllowed: (license: string) => boolean;
};

const problemsOf = (license: string | undefined, isShipped: boolean) =>
  licenseProblems([{ folder: 'node_modules/one', license, isShipped }]);

describe('The check of licenses', () => {
  it.each(['MIT', '(MIT OR GPL-3.0)', 'Apache-2.0 AND MIT'])('accepts %s everywhere', (license) => {
    expect([problemsOf(license, true), problemsOf(license, false)]).toEqual([[], []]);
  });

  it.each(['MPL-2.0', 'MIT AND MPL-2.0'])('accepts %s in development only', (license) => {
    expect([problemsOf(license, true), problemsOf(license, false)]).toEqual([[`node_modules/one: ${license}`], []]);
    expect(isAllowed(license)).toBe(false);
  });

  it.each(['GPL-3.0', 'MIT AND GPL-3.0', 'UNLICENSED', undefined])('refuses %s everywhere', (license) => {
    const problem = `node_modules/one: ${license ?? 'states no license'}`;
    expect([problemsOf(license, true), problemsOf(license, false)]).toEqual([[problem], [`${problem} (development)`]]);
  });
});

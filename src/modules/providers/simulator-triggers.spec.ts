import { triggersIn, withoutTriggers } from './simulator-triggers';

describe('The triggers of a prompt', () => {
  test('name the model they address and their position', () => {
    expect([...triggersIn('a [[sim:slow=5]] b [[sim-sage:say=c]]')]).toEqual([
      { target: 'sim', action: 'slow', value: '5', start: 2, end: 16 },
      { target: 'sim-sage', action: 'say', value: 'c', start: 19, end: 37 },
    ]);
  });

  // Were each searched to the end of the prompt, these would take as many steps as both numbers multiplied.
  test.each([
    ['without an end', '[[sim:say='.repeat(300_000), 0],
    ['with one end for all', `${'[[sim:say='.repeat(300_000)}]]`, 1],
    ['whose target has no end', `[[${'sim'.repeat(1_000_000)}`, 0],
    ['with a name but without an end', '[[sim:answered-by=mm.'.repeat(150_000), 0],
    ['each with an end', '[[sim:say=a]]'.repeat(200_000), 200_000],
  ])(
    'are read in linear time where there are many %s',
    (_, prompt, count) => {
      expect([...triggersIn(prompt)]).toHaveLength(count);
    },
    5000,
  );
});

describe('A prompt without its triggers', () => {
  test.each([
    ['Good [[sim:echo]]morning.', 'Good morning.'],
    ['[[sim:echo]] Good morning.\n[[sim-sage:pace=5]]', 'Good morning.'],
    ['[[sim:explode]] [[simple:cut]] [[SIM:echo]]', '[[sim:explode]] [[simple:cut]] [[SIM:echo]]'],
    ['One [[sim:say=two]]three[[sim-sage:say=[1]]] four', 'One three] four'],
    ['[[sim:say=no end', '[[sim:say=no end'],
    ['[[sim:echo]]', ''],
  ])('is, for %j, %j', (prompt, text) => {
    expect(withoutTriggers(prompt)).toBe(text);
  });
});

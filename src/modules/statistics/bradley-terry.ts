import { shareInterval } from './clustered';
import { meanOf, type Interval } from './intervals';
import { sum } from './mean';

/**
 * A comparison of two models, numbered from 0. `score` is the first's share of the win: 1, 0.5, 0, or a mean of such.
 * Duels of one cluster may be alike; clusters are independent.
 */
export interface Duel {
  first: number;
  second: number;
  score: number;
  cluster: number;
}

/**
 * Strengths by the model of Bradley and Terry, as log odds with a sum of 0. A win rate is the chance against a mean
 * other model, with a 95 % interval. Null unless duels connect all models.
 */
export function bradleyTerry(
  duels: readonly Duel[],
  models: number,
): { strengths: number[]; winRates: { rate: number; interval: Interval }[] } | null {
  const wins = winsOf(duels, models);
  if (duels.length === 0 || !isConnected(wins)) return null;
  const { strengths, inverse } = fit(wins);
  const gradients = clusterGradients(duels, strengths);
  const clusters = gradients.length;
  const winRates = strengths.map((strength, model) => {
    const chances = strengths.map((other) => chanceOf(strength - other));
    const rate = (sum(chances) - 0.5) / (models - 1);
    const slopes = chances.map((chance, other) => (other === model ? 0 : (chance * (1 - chance)) / (1 - models)));
    slopes[model] = -sum(slopes);
    const weights = inverse.map((row) => dot(row, slopes));
    const effects = gradients.map((gradient) => dot(gradient, weights));
    // Clusters that differ only by rounding do not differ.
    const isConstant = clusters * (meanOf(effects).standardError ?? 0) < 1e-9;
    const standardError = isConstant ? 0 : Math.sqrt((clusters / (clusters - 1)) * dot(effects, effects));
    return { rate, interval: shareInterval({ mean: rate, rows: clusters, clusters, standardError }) ?? [0, 1] };
  });
  return { strengths, winRates };
}

/** The wins of each model over each other one. A pseudo-tie per compared pair keeps strengths finite. */
function winsOf(duels: readonly Duel[], models: number): number[][] {
  const wins = Array.from({ length: models }, () => new Array<number>(models).fill(0));
  for (const { first, second, score } of duels) {
    add(wins[first], second, score + (wins[first]?.[second] ? 0 : 0.5));
    add(wins[second], first, 1 - score + (wins[second]?.[first] ? 0 : 0.5));
  }
  return wins;
}

function isConnected(wins: number[][]): boolean {
  const reached = new Set([0]);
  // The loop also visits the models that it adds.
  for (const model of reached) wins[model]?.forEach((won, other) => won > 0 && reached.add(other));
  return reached.size === wins.length;
}

/** Fits by Newton's method. The inverse of the information holds for vectors with a sum of 0. */
function fit(wins: number[][]): { strengths: number[]; inverse: number[][] } {
  let strengths = wins.map(() => 0);
  for (let step = 1; ; step++) {
    const gradient = wins.map(() => 0);
    const information = wins.map(() => wins.map(() => 1 / wins.length));
    for (const [winner, row] of wins.entries())
      for (const [loser, won] of row.entries()) {
        const chance = chanceOf((strengths[winner] ?? 0) - (strengths[loser] ?? 0));
        transfer(gradient, loser, winner, won * (1 - chance));
        transfer(information[winner], loser, winner, won * chance * (1 - chance));
        transfer(information[loser], winner, loser, won * chance * (1 - chance));
      }
    const inverse = inverted(information);
    const moves = inverse.map((row) => dot(row, gradient));
    const reach = 2 * Math.max(...moves.map(Math.abs));
    if (reach < 1e-12 || step === 50) return { strengths, inverse };
    // A full step may overshoot; a shortened one always raises the likelihood.
    strengths = strengths.map((strength, model) => strength + ((moves[model] ?? 0) * Math.log1p(reach)) / reach);
  }
}

/** The gradient of the log likelihood of each cluster. */
function clusterGradients(duels: readonly Duel[], strengths: number[]): number[][] {
  const gradients = new Map<number, number[]>();
  for (const { first, second, score, cluster } of duels) {
    const gradient = gradients.get(cluster) ?? strengths.map(() => 0);
    gradients.set(cluster, gradient);
    transfer(gradient, second, first, score - chanceOf((strengths[first] ?? 0) - (strengths[second] ?? 0)));
  }
  return [...gradients.values()];
}

/** The inverse of a positive definite matrix, by Gauss–Jordan elimination. */
function inverted(matrix: number[][]): number[][] {
  return matrix.reduce((current, _, pivot) => {
    const top = current[pivot] ?? [];
    return current.map((row, index) => {
      const share = (index === pivot ? -1 : (row[pivot] ?? 0)) / (top[pivot] ?? 0);
      const rest = (value: number, column: number) => (index === pivot ? 0 : value) - share * (top[column] ?? 0);
      return row.map((value, column) => (column === pivot ? -share : rest(value, column)));
    });
  }, matrix);
}

function add(vector: number[] = [], index: number, amount: number): void {
  vector[index] = (vector[index] ?? 0) + amount;
}

function transfer(vector: number[] = [], from: number, to: number, amount: number): void {
  add(vector, from, -amount);
  add(vector, to, amount);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((total, value, index) => total + value * (right[index] ?? 0), 0);
}

function chanceOf(difference: number): number {
  return 1 / (1 + Math.exp(-difference));
}

// The same values in every run, so that the score is the same too; and the first failure is enough.
require('fast-check').configureGlobal({ seed: 20261122, endOnFailure: true });

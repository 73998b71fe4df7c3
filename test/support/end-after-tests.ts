import { endAll } from './cleanup';

// The last hook of every test file, also of one with failed tests and failed hooks.
afterAll(endAll);

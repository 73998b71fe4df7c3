import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/** In the folder of the build, so that each build begins without one, and who can write to it can change the code as well. */
const FOLDER = join(__dirname, '../../compile-cache');

// Node's own cache of compiled code, for the next starts. Where the folder cannot be written, it stays off without a word; NODE_COMPILE_CACHE names another folder.
enableCompileCache(FOLDER);

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Node keeps compiled code here for the next starts, in the folder of the build: only who can change the code can write
// there. It stays off where the folder is read-only.
enableCompileCache(join(__dirname, '../../compile-cache'));

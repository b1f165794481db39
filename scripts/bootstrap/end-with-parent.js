/**
 * Ends this process soon after its parent has ended, however that ended: so that a killed test run leaves nothing
 * behind. It is preloaded (`node --import`) into Jest, whose workers inherit it.
 */
import { watchParent } from './parent.js';

watchParent(() => process.kill(process.pid, 'SIGKILL'));

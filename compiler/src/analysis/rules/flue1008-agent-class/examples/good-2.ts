export class Old {
  static agentName = 'old';
}

package ui

import tea "charm.land/bubbletea/v2"

// leaveOverview goes where line i of the overview leads.
func (m *Model) leaveOverview(i int) tea.Cmd {
	cmd, command := m.overview.Go(i)
	if command == "" {
		return cmd
	}
	c, args, err := m.parseLine(command)
	if err != nil {
		m.env.Fail("cannot run :"+command, err)
		return nil
	}
	return m.run(c, args)
}

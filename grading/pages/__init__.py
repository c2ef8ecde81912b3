"""What people read: feedback pages for students, a report on the class for instructors."""
